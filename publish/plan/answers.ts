/** Plans the responses of one installation: builds those that are due, and compares them with what is published. */
import type { Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import type { ResourceName } from "../../src/resources/table.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import type { Known, KnownObject } from "../known.ts";
import { earlier, type Inputs, inputsOf, type Pace } from "../pace.ts";
import { failedRow } from "../report.ts";
import { type Decision, decide, type Place, responsePut } from "./decide.ts";
import type { Subject } from "./histories.ts";
import { permittedSources } from "./permitted-sources.ts";
import { type NamedTiles, NOTHING, needs, type Plan, type PlannedAnswer, type Put, type Unknown } from "./plan.ts";
import { currentSourceVersion, isNewerProgram, isRegression, publishedBlock } from "./source-version.ts";
import { namedTiles } from "./tile-sets.ts";

/** Inputs of every plan besides the snapshot. */
export interface Planning {
  readonly known: Known;
  readonly pace: Pace;
  /** Put everything as of now, changed or not. */
  readonly force: boolean;
  /** Epoch ms. */
  readonly at: number;
  /** Keys whose settlement history was looked up in the store. */
  readonly savedAsked: ReadonlySet<string>;
  /** Why the ledger is refused: nothing that is computed from facts is put. */
  readonly refused?: Failure | undefined;
  /** Why the chain is refused: what was published of it stays. */
  readonly refusedChain?: Failure | undefined;
  /** Keys that must be stored before any response. */
  readonly after?: readonly string[];
  selected(resource: ResourceName): boolean;
}

/** Builds only what is due. Throws `Failure` clock_behind. */
export function planAnswers(
  publications: readonly Publication[],
  subject: Subject,
  snapshot: Snapshot,
  planning: Planning,
): Plan {
  const due: { readonly publication: Publication; readonly inputs: Inputs }[] = [];
  const unknown: Unknown[] = [];
  const waits: [string, number][] = [];
  const failed: Plan["failed"][number][] = [];
  for (const publication of publications) {
    if (!planning.selected(publication.resource)) continue;
    let inputs: Inputs | undefined;
    try {
      inputs = inputsOf(publication, snapshot);
      const until = buildableAt(publication, inputs, planning);
      if (until === undefined) continue;
      if (until > planning.at) {
        waits.push([publication.key, until]);
        continue;
      }
      if (planning.refused !== undefined && hasFacts(publication)) {
        failed.push({ publication, inputs, regression: undefined, row: undefined });
        continue;
      }
      unknown.push(...unknownOf(publication, subject, snapshot, planning));
      due.push({ publication, inputs });
    } catch (error) {
      failed.push(failedAnswer(publication, inputs, error, planning));
    }
  }
  if (unknown.length > 0) return needs(unknown);
  const answers: PlannedAnswer[] = [];
  const puts: Put[] = [];
  const tileSets: NamedTiles[] = [];
  for (const { publication, inputs } of due) {
    try {
      const answer = planAnswer(publication, inputs, { subject, snapshot, planning });
      answers.push(answer);
      const named = namedTiles(publication, snapshot, planning.known, answer.version);
      puts.push(...named.puts);
      if (named.set !== undefined) tileSets.push(named.set);
      const after = named.puts.map(({ key }) => key);
      if (answer.put !== undefined) puts.push({ ...answer.put, after: [...answer.put.after, ...after] });
    } catch (error) {
      if (error instanceof Failure && error.code === "clock_behind") throw error;
      failed.push(failedAnswer(publication, inputs, error, planning));
    }
  }
  return { ...NOTHING, answers, failed, waits, puts, tileSets };
}

/** True if the response is computed from facts of the ledger. */
function hasFacts({ sources: { kinds = [] } = {} }: Publication): boolean {
  return kinds.length > 0;
}

/** A constant does not wait: it must be stored before the responses that name it. */
function buildableAt(publication: Publication, inputs: Inputs, { known, pace, at }: Planning): number | undefined {
  const object = known.get(publication.key);
  if (publication.sources === undefined && object?.condition !== "stored") return at;
  return pace.buildableAt(publication, inputs, at, object?.putAt ?? 0);
}

function unknownOf(publication: Publication, subject: Subject, snapshot: Snapshot, planning: Planning): Unknown[] {
  const { known, savedAsked, at } = planning;
  const { key, sources = {}, publishedBody, tileSet } = publication;
  const object = known.get(key);
  if (object === undefined) return [{ is: "answer", key }];
  const unknown: Unknown[] = [];
  if (sources.usesChain === true) {
    const now = currentSourceVersion(snapshot, { ...sources, kinds: [] }, at, subject.history);
    for (const published of [object.sourceVersion, ...subject.elsewhere]) {
      const number = publishedBlock(published, now)?.number;
      if (number !== undefined && !known.blocks.has(number)) unknown.push({ is: "block", number });
    }
  }
  const history = publishedBody?.history;
  if (history?.isMissing(snapshot) === true && !savedAsked.has(key)) unknown.push({ is: "answer", key });
  if (tileSet !== undefined && known.listing(tileSet.prefix) === undefined) {
    unknown.push({ is: "listing", prefix: tileSet.prefix });
  }
  return unknown;
}

function failedAnswer(
  publication: Publication,
  inputs: Inputs | undefined,
  error: unknown,
  { refusedChain }: Planning,
): Plan["failed"][number] {
  if (!isRegression(error)) return { publication, inputs, regression: undefined, row: failedRow(publication, error) };
  // The cycle reports a refused chain, once for all of its views.
  const regression = error.code === refusedChain?.code ? undefined : error;
  return { publication, inputs, regression, row: undefined };
}

interface Context {
  readonly subject: Subject;
  readonly snapshot: Snapshot;
  readonly planning: Planning;
}

/** Also with `force`: an older program must not replace the files of a newer one. */
const LEFT_TO_NEWER: Decision = {
  put: false,
  why: "written by a newer version",
  dueAt: undefined,
  isPlaceholder: false,
};

function planAnswer(publication: Publication, inputs: Inputs, { subject, snapshot, planning }: Context): PlannedAnswer {
  const started = performance.now();
  const { known, force, at } = planning;
  const { key } = publication;
  const object = known.get(key);
  if (object === undefined) throw new TypeError(`${key} was not looked up`);
  // Another clock may have published as of a later instant: time must not go back.
  const instant = force ? at : Math.max(at, object.sourceVersion.at);
  const permitted = permittedSources(publication, object, {
    subject,
    snapshot,
    known,
    at,
    refusedChain: planning.refusedChain,
  });
  const isNewer = isNewerProgram(object.sourceVersion.program, publication.sources?.program);
  const decision =
    (isNewer && object.condition === "stored" ? LEFT_TO_NEWER : undefined) ??
    keptWhileSettling(permitted.isSettling, object, instant) ??
    decide((when) => publication.build(permitted.snapshot, when), object, instant, {
      force,
      isOthers: permitted.isOthers,
    });
  const version = { ...permitted.version, at: instant };
  const place: Place = {
    key,
    resource: publication.resource,
    phase: publication.sources === undefined ? "constants" : "answers",
    before: object,
    sourceVersion: version,
    after: planning.after ?? [],
    keepsBody: publication.publishedBody !== undefined,
  };
  return {
    publication,
    inputs,
    version,
    put: decision.put ? responsePut(decision, place) : undefined,
    why: decision.why,
    isPlaceholder: decision.isPlaceholder,
    dueAt: earlier(decision.dueAt, publication.timing?.rebuildAt?.(snapshot, at)),
    milliseconds: performance.now() - started,
  };
}

/** While the chain is read for the first time, a good response stays until its own end. */
function keptWhileSettling(isSettling: boolean, { states, condition }: KnownObject, at: number): Decision | undefined {
  const until = states[1]?.from;
  if (!isSettling || condition !== "stored" || until === undefined || until <= at) return undefined;
  return { put: false, why: "still valid while the chain is read", dueAt: until, isPlaceholder: true };
}

/** A response that becomes a constant is not put before that constant: else readers would find nothing after its end. */
export function constantMissing(key: string): Failure {
  return new Failure("constant_missing", `${key} is not in the store yet`, { exit: EXIT.failed });
}
