/**
 * The index, put last, so that no reader is sent to an installation whose objects are not there yet; of a long one its
 * shards before the object that says how many there are (docs/spec/publishing.md#index).
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { installationsAfter } from "../../src/ledger/watermarks.ts";
import type { Publication } from "../../src/resources/publication.ts";
import type { PlannedAnswer } from "../answers/plan-answer.ts";
import { indexPublication, shardPublication, shardsToPut } from "../observations/index-publication.ts";
import { eachLimited } from "../puts/each-limited.ts";
import type { PutTarget } from "../puts/put-target.ts";
import type { ReportRow } from "../puts/report.ts";
import type { CycleSources } from "../sources/cycle-sources.ts";
import { planIfDue } from "./plan.ts";
import type { Session } from "./session.ts";

/** Installations that are looked up in the ledger together. */
const SLICE = 256;

export interface IndexPut {
  /** Epoch ms. */
  readonly at: number;
  readonly session: Session;
  readonly sources: CycleSources;
  readonly target: PutTarget;
  /** Puts what is planned; no row where the sources are behind. */
  put(planned: PlannedAnswer): Promise<ReportRow[]>;
}

/** Rows of what was due. */
export async function putIndex(indexPut: IndexPut): Promise<ReportRow[]> {
  const { session, sources, target } = indexPut;
  const { histories, force } = session;
  const { index } = histories;
  if (force) await index.loadAll();
  await recoverLost(indexPut);
  index.split();
  const rows: ReportRow[] = [];
  await eachLimited(shardsToPut(histories, force), target.concurrency, async (part) => {
    // A store may answer at once: other things have their turn between two of them.
    await nextTurn();
    const { revision } = part;
    const put = await putIfDue(shardPublication(part), indexPut);
    if (put.length > 0 && put.every(({ action }) => action !== "failed")) part.put(revision);
    rows.push(...put);
  });
  // Nobody is sent to a shard that is not there.
  if (shardsToPut(histories, false).length > 0) return rows;
  const configured = sources.snapshot(({ installationId }) => installationId);
  rows.push(...(await putIfDue(indexPublication(session, configured), indexPut)));
  return rows;
}

async function putIfDue(publication: Publication, { at, session, sources, put }: IndexPut): Promise<ReportRow[]> {
  const planned = sources.snapshot((snapshot) => planIfDue(session, publication, snapshot, at));
  if (planned === undefined) return [];
  return "action" in planned ? [planned] : put(planned);
}

/** Whom a missing or damaged object named, of those that the ledger knows, their own objects say. */
async function recoverLost({ session, sources, target }: IndexPut): Promise<void> {
  const { histories } = session;
  const { index } = histories;
  if (!index.hasLost) return;
  const after = (no: number) =>
    sources.snapshot(({ ledger }) => (ledger === undefined ? [] : installationsAfter(ledger, no, SLICE)));
  for (let some = after(0); some.length > 0; some = after(some.at(-1)?.no ?? 0)) {
    const lost = some.filter(({ id }) => index.isLost(id));
    await eachLimited(lost, target.concurrency, ({ id }) => histories.prepare(id));
    await nextTurn();
  }
  for (const part of index.parts()) part.recovered();
}
