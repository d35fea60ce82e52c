/**
 * Puts what an installation's observations lack: tiles in chunks, each planned in a snapshot of its own, for positions
 * that are published never change.
 */
import type { Snapshots } from "../../src/resources/snapshot.ts";
import type { PutTarget } from "../puts/put-target.ts";
import { type ReportRow, WAS_DAMAGED } from "../puts/report.ts";
import type { Histories } from "./histories.ts";
import type { TilePace } from "./tile-pace.ts";
import { type InstallationReceipts, type PlannedTile, planTiles, putTiles } from "./tiles.ts";

export interface ObservationsPut {
  readonly sources: Snapshots;
  readonly target: PutTarget;
  readonly histories: Histories;
  readonly tilePace: TilePace;
  /** Epoch ms. */
  readonly at: number;
}

/** Hands each chunk's rows to `report` once it is put. Throws the store's own errors, lease_… (75) or ledger_forked. */
export async function putObservations(
  installation: InstallationReceipts,
  put: ObservationsPut,
  report: (row: ReportRow) => void,
): Promise<void> {
  const { histories, tilePace, at } = put;
  const isBehind = installation.through > histories.progress(installation.id).position;
  if (!tilePace.allows(installation.id, at, isBehind)) return;
  for (;;) {
    const started = performance.now();
    const progress = histories.progress(installation.id);
    const tiles = put.sources.snapshot(({ ledger }) =>
      ledger === undefined ? [] : planTiles(ledger, installation, progress),
    );
    const reached = await putTiles(tiles, progress.history, at, put.target);
    if (reached === undefined) return;
    histories.advance(installation.id, reached);
    tilePace.put(installation.id, at);
    const milliseconds = (performance.now() - started) / tiles.length;
    for (const tile of tiles) report(tileRow(tile, milliseconds, histories.takeLost(tile.key)));
  }
}

function tileRow({ key, body, known }: PlannedTile, milliseconds: number, wasLost: boolean): ReportRow {
  const action = known === undefined && !wasLost ? "created" : "updated";
  const why = wasLost ? WAS_DAMAGED : known === undefined ? "new" : "grew";
  return { key, resource: "observations", action, why, status: 200, bytes: body.length, etag: null, milliseconds };
}
