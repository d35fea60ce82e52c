/**
 * One cycle (design 1, "The cycle"): what has moved → build → compare → put, in order. It is idempotent: killed at any
 * step, the next one finds what is in the store and goes on.
 *
 * A crash before a put leaves the old answer, whole. A crash after a put and before it is remembered leaves a tag that
 * we do not know: the next put of that key conflicts, finds our own or an earlier epoch's object, adopts it and decides
 * anew. Tiles are put before the index that names their installation.
 */

import { observationsKey } from "../src/http/keys.ts";
import { listInstallations, readWatermarks } from "../src/ledger/watermarks.ts";
import type { ObjectStore } from "../src/object-store/object-store.ts";
import { EXIT, Failure } from "../src/values/failure.ts";
import type { FeedRecall } from "./activity/recall.ts";
import type { PlannedAnswer } from "./answers/answers.ts";
import { recallStanding } from "./answers/recall.ts";
import { eachLimited } from "./concurrency.ts";
import type { Fence } from "./lease/fenced-put.ts";
import type { TilePace } from "./observations/pace.ts";
import { type PlannedTile, planTiles, putTiles } from "./observations/tiles.ts";
import { failedRow, type Plan, type Planner, planCycle } from "./plan.ts";
import { installationsPublication } from "./publications/measurement.ts";
import type { CycleReport, ReportRow } from "./report.ts";
import type { Sources } from "./sources/sources.ts";

export interface Cycle extends Planner {
  readonly store: ObjectStore;
  readonly fence: Fence;
  readonly feeds: FeedRecall;
  readonly concurrency: number;
  readonly tilePace: TilePace;
  /** Everything in `use` sees one state of ledger, projections and chain; it must not await. */
  read<T>(use: (sources: Sources) => T): T;
}

/** `at` in epoch ms. Throws what stops the whole cycle: a ledger that cannot be read, a lease that is lost. */
export async function runCycle(cycle: Cycle, at: number): Promise<CycleReport> {
  const found = await prepareInstallations(cycle);
  if (cycle.selected("activity")) await cycle.feeds.look(found);
  await recallStanding(cycle);
  const plan = cycle.read((sources) => planCycle(cycle, sources, at));
  const rows: ReportRow[] = [...plan.failedRows];
  await eachLimited(plan.answers, cycle.concurrency, async (answer) => void rows.push(await put(cycle, answer)));
  if (cycle.selected("observations")) {
    for (const installation of plan.installations) await putObservations(cycle, installation, at, rows);
    const index = planIndex(cycle, plan, at);
    if (index !== undefined) rows.push(await put(cycle, index));
  }
  rows.sort((a, b) => (a.key < b.key ? -1 : 1));
  return { at, rows, failures: plan.failures };
}

/** Where a new installation stands in the store is looked up before the read transaction, not inside it. */
async function prepareInstallations({ histories, read }: Cycle): Promise<Pick<Sources, "projections" | "chain">> {
  const { ids, ...found } = read(({ facts, installationId, projections, chain }) => {
    const present = facts === undefined ? [] : listInstallations(facts.ledger).map(({ id }) => id);
    return { ids: [installationId, ...present], projections, chain };
  });
  for (const id of ids) await histories.prepare(id);
  return found;
}

async function put(cycle: Cycle, planned: PlannedAnswer): Promise<ReportRow> {
  try {
    return await cycle.answers.put(planned, cycle.store, cycle.fence);
  } catch (error) {
    if (error instanceof Failure && error.exitCode === EXIT.locked) throw error;
    cycle.answers.failed(planned.publication, planned.sources, planned.at);
    return failedRow(planned.publication, error);
  }
}

interface Installation {
  readonly no: number;
  readonly id: string;
}

/** One installation's trouble is its own: what it has published stays, the others go on. */
async function putObservations(cycle: Cycle, installation: Installation, at: number, rows: ReportRow[]): Promise<void> {
  try {
    await putNewTiles(cycle, installation, at, rows);
  } catch (error) {
    if (error instanceof Failure && error.exitCode === EXIT.locked) throw error;
    rows.push(failedRow({ key: `${observationsKey(installation.id)}/…`, resource: "observations" }, error));
  }
}

/** Tiles in chunks, each read in a transaction of its own: positions that are published never change. */
async function putNewTiles(cycle: Cycle, installation: Installation, at: number, rows: ReportRow[]): Promise<void> {
  if (!cycle.tilePace.allows(installation.id, at, () => hasNewReceipts(cycle, installation))) return;
  for (;;) {
    const started = performance.now();
    const progress = cycle.histories.progress(installation.id);
    const tiles = cycle.read(({ facts }) =>
      facts === undefined ? [] : planTiles(facts.ledger, installation, progress),
    );
    const reached = await putTiles(tiles, progress.history, at, cycle);
    if (reached === undefined) return;
    cycle.histories.advance(installation.id, reached);
    cycle.tilePace.put(installation.id, at);
    const milliseconds = (performance.now() - started) / tiles.length;
    for (const tile of tiles) rows.push(tileRow(tile, milliseconds));
  }
}

function hasNewReceipts({ histories, read }: Cycle, { no, id }: Installation): boolean {
  const received = read(({ facts }) => (facts === undefined ? 0 : readWatermarks(facts.ledger, no).receipt));
  return received > histories.progress(id).position;
}

function tileRow({ key, body, known }: PlannedTile, milliseconds: number): ReportRow {
  const action = known === undefined ? "created" : "updated";
  const why = known === undefined ? "new" : "grew";
  return { key, resource: "observations", action, why, status: 200, bytes: body.length, etag: null, milliseconds };
}

/** Last, so that no reader is sent to an installation whose objects are not there yet. */
function planIndex(cycle: Cycle, plan: Plan, at: number): PlannedAnswer | undefined {
  for (const { id } of plan.installations) cycle.histories.name(id);
  return cycle.read((sources) => {
    const publication = installationsPublication(sources.installationId, cycle.histories.names);
    return cycle.answers.plan(publication, sources, at, { at });
  });
}
