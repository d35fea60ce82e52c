/**
 * The observations' tiles (docs/spec/publishing.md#tiles): positions are dense, so position / 128 names the tile; full
 * ones are immutable, the last one grows. They are put in ascending order, and how far is remembered only after.
 */

import type { Database } from "better-sqlite3";
import { type Receipt, readReceipts } from "../../src/ledger/read/receipts.ts";
import type { Installation } from "../../src/ledger/watermarks.ts";
import {
  type ObjectStore,
  StoreDamaged,
  type StoredObject,
  type StoreObject,
  type StoreTag,
} from "../../src/object-store/object-store.ts";
import { readOrDamaged } from "../../src/object-store/read-or-damaged.ts";
import { decodeWriterMetadata, encodeWriterMetadata } from "../../src/object-store/stored-answer.ts";
import { buildObservationTile, tileBounds } from "../../src/resources/observations/build.ts";
import { observationTileKey, tileOf } from "../../src/resources/observations/keys.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import { fencedPut, Superseded } from "../lease/fenced-put.ts";
import { eachLimited } from "../puts/each-limited.ts";
import type { PutTarget } from "../puts/put-target.ts";
import type { TileProgress } from "../state/published.ts";

/** Lines of JSON, one an item. */
export const TILE_TYPE = "application/x-ndjson; charset=utf-8";
/** Tiles built in one read of the ledger, so that a first publish of a long history stays flat in memory. */
const CHUNK = 64;

export interface PlannedTile {
  readonly key: string;
  readonly body: Buffer;
  readonly last: Receipt;
  /** The tag of the growing tile that this one replaces. */
  readonly known: StoreTag | undefined;
}

/** What a cycle publishes of an installation: the receipts that its plan has seen, however many come while it puts. */
export interface InstallationReceipts extends Installation {
  /** The last position. */
  readonly through: number;
}

/** The next tiles after what is published, at most `most`; empty where nothing is missing. */
export function planTiles(
  ledger: Database,
  installation: InstallationReceipts,
  progress: TileProgress,
  most = CHUNK,
): PlannedTile[] {
  const first = tileOf(progress.position + 1);
  const end = Math.min(installation.through, tileBounds(first + most - 1).last);
  const receipts = readReceipts(ledger, installation.no, tileBounds(first).first, end);
  const tiles: PlannedTile[] = [];
  for (let tile = first; tile < first + most; tile++) {
    const { first: from, last: to } = tileBounds(tile);
    const inTile = receipts.slice(from - tileBounds(first).first, to - tileBounds(first).first + 1);
    const last = inTile.at(-1);
    if (last === undefined || last.position <= progress.position) break;
    tiles.push({
      key: observationTileKey(installation.id, progress.history, tile),
      body: Buffer.from(buildObservationTile(installation.id, inTile)),
      last,
      known: tile === first && progress.position >= from ? (progress.tag ?? undefined) : undefined,
    });
  }
  return tiles;
}

/**
 * Puts planned tiles, the first (which may grow) before the others, the last (which may be partial) after them, and
 * returns how far the store now goes.
 */
export async function putTiles(
  tiles: readonly PlannedTile[],
  history: string,
  at: number,
  target: PutTarget,
): Promise<TileProgress | undefined> {
  const first = tiles[0];
  const last = tiles.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const tags = new Map<PlannedTile, StoreTag>();
  const putOne = async (tile: PlannedTile) => void tags.set(tile, await putTile(tile, at, target));
  await putOne(first);
  await eachLimited(tiles.slice(1, -1), target.concurrency, putOne);
  if (last !== first) await putOne(last);
  return { history, position: last.last.position, tag: tags.get(last) ?? null };
}

/**
 * The highest position that the store has of a history, found without listing: tiles are dense, so where they end is
 * a binary search for the last one there. `atLeast` is a position known to have been published, as a place to begin.
 */
export async function findProgress(
  store: ObjectStore,
  installationId: string,
  history: string,
  atLeast: number,
): Promise<TileProgress> {
  const read = (tile: number) => readOrDamaged(store, observationTileKey(installationId, history, tile));
  let below = -1;
  let above = Math.max(1, tileOf(Math.max(1, atLeast)) + 2);
  while ((await read(above)) !== undefined) {
    below = above;
    above *= 2;
  }
  while (above - below > 1) {
    const middle = Math.floor((above + below) / 2);
    if ((await read(middle)) === undefined) above = middle;
    else below = middle;
  }
  const found = below < 0 ? undefined : await read(below);
  if (found === undefined) return { history, position: 0, tag: null };
  const position = found instanceof StoreDamaged ? undefined : positionOf(found);
  // It is put anew from its first position on.
  if (position === undefined) return { history, position: tileBounds(below).first - 1, tag: null };
  return { history, position, tag: found.tag };
}

/** Undefined where a tile does not say how far it goes. */
function positionOf({ metadata }: StoredObject): number | undefined {
  try {
    return decodeWriterMetadata(metadata).asof.position;
  } catch {
    return undefined;
  }
}

async function putTile(tile: PlannedTile, at: number, target: Pick<PutTarget, "store" | "fence">): Promise<StoreTag> {
  const { position, telemetryId } = tile.last;
  const { epoch, writer } = target.fence;
  const metadata = encodeWriterMetadata({ epoch, writer, asof: { at, position, telemetryId } });
  const object: StoreObject = { body: tile.body, contentType: TILE_TYPE, metadata };
  const put = (replaces: StoreTag | undefined) => fencedPut(target, { key: tile.key, object, replaces });
  try {
    return await put(tile.known);
  } catch (error) {
    if (!(error instanceof Superseded)) throw error;
    const { found } = error;
    if (found === undefined) return put(undefined);
    if (found instanceof StoreDamaged) return put(found.tag);
    if (Buffer.compare(found.body, tile.body) === 0) return found.tag;
    if (!goesOn(found.body, tile.body)) {
      throw forkedTile(tile.key);
    }
    return put(found.tag);
  }
}

/** Its receipts are whole, and others. */
export function forkedTile(key: string): Failure {
  return new Failure("ledger_forked", `${key} in the store holds other receipts than the ledger`, {
    exit: EXIT.failed,
    hint: "Publish from the ledger that was published, or begin a new history on purpose: publish --new-history.",
  });
}

/** Whether a tile's lines begin with those that are published. */
function goesOn(published: Uint8Array, body: Buffer): boolean {
  return published.length < body.length && Buffer.compare(published, body.subarray(0, published.length)) === 0;
}
