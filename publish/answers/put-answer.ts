/** Puts a planned answer under the lease, and remembers it once that is confirmed. */
import { representationOf } from "../../src/http/representation.ts";
import { StoreDamaged, type StoredObject } from "../../src/object-store/object-store.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import { fencedPut, Superseded } from "../lease/fenced-put.ts";
import type { PutTarget } from "../puts/put-target.ts";
import type { ReportRow } from "../puts/report.ts";
import type { CycleSources } from "../sources/cycle-sources.ts";
import type { Published, PublishedObject } from "../state/published.ts";
import type { Decision } from "./decide.ts";
import { fitAnswer } from "./fit.ts";
import type { PlannedAnswer, PlanOptions } from "./plan-answer.ts";
import { damagedObject, isDamaged, publishedOrDamaged } from "./published-object.ts";
import { putTiles, TileOutdated } from "./put-tiles.ts";

/** How often an answer is planned anew where the store holds another object than was thought. */
const ATTEMPTS = 3;

export interface AnswerPut {
  readonly target: PutTarget;
  readonly sources: CycleSources;
  readonly published: Published;
  readonly publishedCores: PlanOptions["publishedCores"];
  /** The same answer from a new snapshot, against what is published by now. */
  replan(planned: PlannedAnswer): PlannedAnswer;
}

/** What was put in the end, and what to say of it. */
export interface PutResult {
  readonly planned: PlannedAnswer;
  readonly row: ReportRow;
}

/** Throws the store's own errors, `Failure` lease_… (75), or that the sources are behind what the store holds. */
export async function putAnswer(first: PlannedAnswer, put: AnswerPut): Promise<PutResult> {
  const { key } = first.publication;
  const started = performance.now();
  let planned = first;
  let before = put.published.get(key);
  for (let attempt = 1; planned.decision.put; attempt++) {
    try {
      requireNamed(planned.decision, put.published);
      await putTiles(planned.tiles, planned.asof, put.sources, put.target);
      await putOnce(planned, planned.decision, put);
      break;
    } catch (error) {
      const isOutdated = error instanceof Superseded || error instanceof TileOutdated;
      if (!isOutdated || attempt === ATTEMPTS) throw error;
      if (error instanceof Superseded) before = adopt(planned, error.found, put);
      planned = put.replan(planned);
    }
  }
  const milliseconds = first.buildMs + performance.now() - started;
  return { planned, row: rowOf(planned, before, put.published.get(key), milliseconds) };
}

async function putOnce(planned: PlannedAnswer, decision: Decision & { put: true }, put: AnswerPut): Promise<void> {
  const { publication, asof } = planned;
  const { key } = publication;
  const { built, states: future, successors } = decision.future;
  const { fence } = put.target;
  const body = Buffer.from(built.body);
  const { object, states } = fitAnswer({
    representation: representationOf(built),
    body,
    successors,
    states: future,
    writerMetadata: { epoch: fence.epoch, writer: fence.writer, asof },
  });
  const tag = await fencedPut(put.target, { key, object, replaces: put.published.get(key)?.tag });
  const etag = built.headers.etag ?? null;
  put.published.remember({ key, tag, states, asof, status: built.status, bytes: body.length, etag, putAt: asof.at });
  save(planned, built.body, put);
}

/** What an answer will become by time alone has to be there: else readers of a dead publisher find nothing. */
function requireNamed({ future }: Decision & { put: true }, published: Published): void {
  const missing = future.successors.find(({ key }) => key !== undefined && published.get(key) === undefined);
  if (missing === undefined) return;
  throw new Failure("constant_missing", `${missing.key} is not in the store yet`, { exit: EXIT.failed });
}

/** Takes over what an earlier lease left in the store, or the place of what is damaged there. */
function adopt(
  planned: PlannedAnswer,
  found: StoredObject | StoreDamaged | undefined,
  put: AnswerPut,
): PublishedObject | undefined {
  const { key } = planned.publication;
  if (found === undefined) {
    put.published.forget(key);
    return undefined;
  }
  const object = found instanceof StoreDamaged ? damagedObject(found) : publishedOrDamaged(key, found);
  put.published.remember(object);
  if (!(found instanceof StoreDamaged) && !isDamaged(object)) save(planned, new TextDecoder().decode(found.body), put);
  return object;
}

/** Remembers what of a published body is needed later. */
function save({ publication }: PlannedAnswer, body: string, { sources, publishedCores }: AnswerPut): void {
  const { key, savedBody, publishedCore } = publication;
  if (savedBody !== undefined) sources.snapshot((snapshot) => savedBody.save(snapshot, body));
  if (publishedCore === undefined) return;
  const core = publishedCore(body);
  if (core === undefined) publishedCores.delete(key);
  else publishedCores.set(key, core);
}

function rowOf(
  { publication: { key, resource }, decision }: PlannedAnswer,
  before: PublishedObject | undefined,
  now: PublishedObject | undefined,
  milliseconds: number,
): ReportRow {
  return {
    key,
    resource,
    action: !decision.put ? "unchanged" : before === undefined ? "created" : "updated",
    why: decision.why,
    status: now?.status ?? null,
    bytes: now?.bytes ?? 0,
    etag: now?.etag ?? null,
    milliseconds,
  };
}
