/** What one answer comes to in a snapshot: values alone, so that it outlives the transaction it was read in. */
import type { SafeCoreState } from "../../src/chain/chain-state.ts";
import type { Asof } from "../../src/object-store/stored-answer.ts";
import type { ImmutableTile, Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { permittedSources } from "../asof/permitted.ts";
import { isNewerProgram } from "../site/program-version.ts";
import type { Published, PublishedObject } from "../state/published.ts";
import { type AnswerInputs, earlier, inputsOf } from "./build-schedule.ts";
import { type Decision, decide } from "./decide.ts";

export interface PlannedAnswer {
  readonly publication: Publication;
  /** Of the snapshot that the answer was built from. */
  readonly asof: Asof;
  readonly inputs: AnswerInputs;
  readonly decision: Decision;
  /** What it names and the store has not yet; empty where it is not put. */
  readonly tiles: readonly (readonly ImmutableTile[])[];
  /** Epoch ms: built again then, though no input has moved. */
  readonly dueAt: number | undefined;
  readonly buildMs: number;
}

export interface PlanOptions {
  readonly published: Published;
  /** Put everything as of this instant, changed or not. */
  readonly force: boolean;
  /** By key: the Core's state that a published answer shows. */
  readonly publishedCores: Map<string, SafeCoreState>;
  /** The history under which an installation is published. */
  historyOf(installationId: string): string;
}

/** Also where everything is put: a rollback of the program takes back no file of the newer one. */
const LEFT_TO_NEWER: Decision = { put: false, why: "a newer version's stands", dueAt: undefined, isGap: false };

/** `at` in epoch ms. Throws what the build throws, and `Failure` where the sources are behind what is published. */
export function planAnswer(
  publication: Publication,
  snapshot: Snapshot,
  at: number,
  options: PlanOptions,
): PlannedAnswer {
  const started = performance.now();
  const { key, installationId = snapshot.installationId } = publication;
  const published = options.published.get(key);
  const history = installationId === null ? "1" : options.historyOf(installationId);
  const publishedCore = options.publishedCores.get(key);
  // What was published as of a later instant, by another clock, is followed by nothing older.
  const instant = options.force ? at : Math.max(at, published?.asof.at ?? at);
  const permitted = permittedSources(publication, snapshot, at, { published, history, publishedCore });
  const build = (when: number) => publication.build(permitted.snapshot, when);
  const { isOthers } = permitted;
  const leftToNewer = isNewerProgram(published?.asof.program, publication.program) ? LEFT_TO_NEWER : undefined;
  const decision =
    leftToNewer ??
    keepWhileSettling(permitted.isSettling, published, instant) ??
    decide(build, published, instant, { force: options.force, isOthers });
  return {
    publication,
    asof: { ...permitted.asof, at: instant },
    inputs: inputsOf(publication, snapshot),
    decision,
    tiles: decision.put ? (publication.tiles?.(snapshot) ?? []) : [],
    dueAt: earlier(decision.dueAt, publication.rebuildAt?.(snapshot, at)),
    buildMs: performance.now() - started,
  };
}

/** What a chain that is only being read lacks says nothing: a good answer has an end, and stays until then. */
function keepWhileSettling(
  isSettling: boolean,
  published: PublishedObject | undefined,
  at: number,
): Decision | undefined {
  const until = published?.states[1]?.from;
  if (!isSettling || until === undefined || until <= at) return undefined;
  return { put: false, why: "a good answer is valid while the chain is being read", dueAt: until, isGap: true };
}
