/** Puts a planned answer under the lease, and remembers it once that is confirmed. */

import { representationOf } from "../../src/http/representation.ts";
import type { StoredObject } from "../../src/object-store/object-store.ts";
import { encodeAnswer } from "../../src/object-store/stored-answer.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import { fencedPut, Superseded } from "../lease/fenced-put.ts";
import type { PutTarget } from "../put-target.ts";
import type { ReportRow } from "../report.ts";
import type { CycleSources } from "../sources/cycle-sources.ts";
import type { Published, PublishedObject } from "../state/published.ts";
import type { Decision } from "./decide.ts";
import type { PlannedAnswer } from "./plan-answer.ts";
import { publishedFrom } from "./published-object.ts";
import { putTiles, TileOutdated } from "./put-tiles.ts";

/** How often an answer is planned anew where the store holds another object than was thought. */
const ATTEMPTS = 3;

export interface AnswerPut {
  readonly target: PutTarget;
  readonly sources: CycleSources;
  readonly published: Published;
  /** The same answer from a new snapshot, against what is published by now. */
  replan(planned: PlannedAnswer): PlannedAnswer;
}

/** What was put in the end, and what to say of it. */
export interface PutResult {
  readonly planned: PlannedAnswer;
  readonly row: ReportRow;
}

/** Throws the store's own errors, `Failure` lease_… (75), or ledger_behind. */
export async function putAnswer(first: PlannedAnswer, put: AnswerPut): Promise<PutResult> {
  const { key } = first.publication;
  const started = performance.now();
  let planned = first;
  let before = put.published.get(key);
  for (let attempt = 1; planned.decision.put; attempt++) {
    try {
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
  const { built, states, successors } = decision.future;
  const { store, fence } = put.target;
  const body = Buffer.from(built.body);
  const object = encodeAnswer({
    representation: representationOf(built),
    body,
    successors,
    states,
    writerMetadata: { epoch: fence.epoch, writer: fence.writer, asof },
  });
  const tag = await fencedPut(store, fence, key, object, put.published.get(key)?.tag);
  const etag = built.headers.etag ?? null;
  put.published.remember({ key, tag, states, asof, status: built.status, bytes: body.length, etag, putAt: asof.at });
  save(planned, built.body, put);
}

/** Takes over what an earlier lease left in the store; refuses to go back behind the facts it speaks of. */
function adopt(planned: PlannedAnswer, found: StoredObject | undefined, put: AnswerPut): PublishedObject | undefined {
  const { key } = planned.publication;
  if (found === undefined) {
    put.published.forget(key);
    return undefined;
  }
  const object = publishedFrom(key, found);
  if ((object.asof.position ?? 0) > (planned.asof.position ?? 0)) {
    throw new Failure("ledger_behind", `${key} speaks of position ${object.asof.position}, the ledger ends before`, {
      exit: EXIT.failed,
    });
  }
  put.published.remember(object);
  save(planned, new TextDecoder().decode(found.body), put);
  return object;
}

function save({ publication: { savedBody } }: PlannedAnswer, body: string, { sources }: AnswerPut): void {
  if (savedBody !== undefined) sources.snapshot((snapshot) => savedBody.save(snapshot, body));
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
