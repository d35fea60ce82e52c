/**
 * Tiles of observations that are missing, damaged or others than the ledger gives (docs/spec/publishing.md#damage), put
 * anew. Well formed tiles with other receipts are no damage: they are of another ledger.
 */

import { judgeObservationTile } from "../../src/fsck/objects/observation-tile.ts";
import type { Installation } from "../../src/ledger/watermarks.ts";
import { StoreDamaged, type StoredObject } from "../../src/object-store/object-store.ts";
import { readOrDamaged } from "../../src/object-store/read-or-damaged.ts";
import { encodeWriterMetadata } from "../../src/object-store/stored-answer.ts";
import { tileBounds } from "../../src/resources/observations/build.ts";
import { parseObservationTileKey, tileOf } from "../../src/resources/observations/keys.ts";
import type { Snapshots } from "../../src/resources/snapshot.ts";
import { Failure } from "../../src/values/failure.ts";
import { fencedPut } from "../lease/fenced-put.ts";
import type { Histories } from "../observations/histories.ts";
import { forkedTile, type PlannedTile, planTiles, TILE_TYPE } from "../observations/tiles.ts";
import { eachLimited } from "../puts/each-limited.ts";
import type { PutTarget } from "../puts/put-target.ts";
import { failedRow, type ReportRow, WAS_DAMAGED } from "../puts/report.ts";

export interface Mending {
  readonly sources: Snapshots;
  readonly target: PutTarget;
  /** Epoch ms. */
  readonly at: number;
}

/** Of what has been published of an installation: a row for each tile that was put. */
export async function mendObservations(
  installation: Installation,
  histories: Histories,
  mending: Mending,
): Promise<ReportRow[]> {
  const { history, position } = histories.progress(installation.id);
  const rows: ReportRow[] = [];
  const tiles = Array.from({ length: position === 0 ? 0 : tileOf(position) + 1 }, (_, tile) => tile);
  await eachLimited(tiles, mending.target.concurrency, async (tile) => {
    const { first, last } = tileBounds(tile);
    const through = Math.min(last, position);
    const [planned] = mending.sources.snapshot(({ ledger }) =>
      ledger === undefined
        ? []
        : planTiles(ledger, { ...installation, through }, { history, position: first - 1, tag: null }, 1),
    );
    // A ledger that does not reach so far is judged before its answers are put.
    if (planned?.last.position !== through) return;
    try {
      const tag = await mendTile(planned, mending);
      if (tag === undefined) return;
      if (through === position) histories.advance(installation.id, { history, position, tag });
      const { key, body } = planned;
      const put = { action: "updated", why: WAS_DAMAGED, status: 200, etag: null } as const;
      rows.push({ key, resource: "observations", ...put, bytes: body.length, milliseconds: 0 });
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== "ledger_forked") throw error;
      rows.push(failedRow({ key: planned.key, resource: "observations" }, error));
    }
  });
  return rows;
}

/** The new object's tag; undefined where nothing was to be mended. */
async function mendTile({ key, body, last }: PlannedTile, { target, at }: Mending): Promise<string | undefined> {
  const found = await readOrDamaged(target.store, key);
  const { position, telemetryId } = last;
  if (found !== undefined && !(found instanceof StoreDamaged)) {
    if (Buffer.compare(found.body, body) === 0 && saysPosition(found, position, telemetryId)) return undefined;
    if (isOtherHistory(key, found, body)) throw forkedTile(key);
  }
  const { epoch, writer } = target.fence;
  const metadata = encodeWriterMetadata({ epoch, writer, asof: { at, position, telemetryId } });
  return fencedPut(target, { key, object: { body, contentType: TILE_TYPE, metadata }, replaces: found?.tag });
}

function saysPosition({ metadata }: StoredObject, position: number, telemetryId: string): boolean {
  try {
    const asof = JSON.parse(metadata.asof ?? "null") as { position?: unknown; telemetryId?: unknown } | null;
    return asof?.position === position && asof.telemetryId === telemetryId;
  } catch {
    return false;
  }
}

/** Whole receipts of this very tile that are not the ledger's. */
function isOtherHistory(key: string, found: StoredObject, body: Buffer): boolean {
  const tile = parseObservationTileKey(key);
  if (tile === undefined || judgeObservationTile(tile, found).complaint !== undefined) return false;
  const lines = Buffer.from(found.body).toString().split("\n");
  const ours = body.toString().split("\n");
  return lines.some((line, index) => ours[index] !== undefined && ours[index] !== line);
}
