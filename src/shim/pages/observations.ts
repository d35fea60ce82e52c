/**
 * Pages of the observations (docs/spec/api.md#observations), cut from tiles (docs/spec/publishing.md#tiles). Positions
 * are dense, so a position names its tile: a page is at most two of them, at any position.
 */
import { TILE_SIZE } from "../../http/keys.ts";
import { type StoredObject, StoreUnavailable } from "../../object-store/object-store.ts";
import {
  encodeObservationCursor,
  observationsQuery,
  observationTileKey,
  tileOf,
} from "../../resources/observations/route.ts";
import type { RouteRequest, ShimContext } from "../context.ts";
import { type FullResponse, queryRefused, rowResponse } from "../full-response.ts";
import { decodeStored } from "../stored-responses.ts";
import { checkSubject, type NamedInstallation, namedInstallation, telemetryKeyOf } from "./installation.ts";

const encoder = new TextEncoder();

/** `undefined` if nothing is published; an unknown installation has no items. */
export async function observationsPage(
  { route, installationId, query }: RouteRequest,
  context: ShimContext,
): Promise<FullResponse | undefined> {
  const parsed = observationsQuery(query);
  if (parsed === undefined) return queryRefused(route);
  const { after, limit } = parsed;
  const named = await namedInstallation(installationId, context);
  if (named === undefined) return undefined;
  const readTile: TileReader = async (tile, to) => {
    const key = observationTileKey(installationId, tile);
    const read = async (options?: { readonly fresh: true }) => {
      const object = await context.store.get(key, options);
      return object === undefined ? NO_TILE : tileFrom(object);
    };
    let found = await read();
    const isEnough = () => found.ends.length > to || found.ends.length === TILE_SIZE;
    if (isEnough()) return found;
    // A tile that is not full may be an old copy of a full one. A page must not continue in the next tile then.
    if (found !== NO_TILE) found = await read({ fresh: true });
    if (isEnough()) return found;
    const newest = await newestTile(installationId, named, context);
    if (isPossible(found, tile, newest)) return found;
    // It may have been put after it was read, and before the telemetry.
    found = await read({ fresh: true });
    if (!isPossible(found, tile, newest)) throw new StoreUnavailable(`${key} is missing, or an older version of it`);
    return found;
  };
  const { slices, more } = named.isListed ? await itemsAfter(after, limit, readTile) : NO_ITEMS;
  const nextCursor = more ? encodeObservationCursor(after + limit) : null;
  const before = `{"schemaVersion":1,"installationId":${JSON.stringify(installationId)},"items":[`;
  const behind = `],"nextCursor":${JSON.stringify(nextCursor)}}`;
  const body = joinItems(encoder.encode(before), slices, encoder.encode(behind));
  return rowResponse(route, { status: 200, headers: {} }, body);
}

interface Items {
  readonly slices: readonly TileSlice[];
  /** True if another item follows. */
  readonly more: boolean;
}

const NO_ITEMS: Items = { slices: [], more: false };

/** Up to `limit` (at most TILE_SIZE) items of positions above `after`, from at most two tiles. */
async function itemsAfter(after: number, limit: number, readTile: TileReader): Promise<Items> {
  if (after >= Number.MAX_SAFE_INTEGER) return NO_ITEMS;
  const number = tileOf(after + 1);
  const from = after - number * TILE_SIZE;
  const to = from + limit;
  const tile = await readTile(number, to);
  if (tile.ends.length > to) return { slices: [{ tile, from, to }], more: true };
  const count = tile.ends.length;
  const first = { tile, from, to: Math.min(to, count) };
  if (count < TILE_SIZE || count > to) return { slices: [first], more: count > to };
  const next = await readTile(number + 1, to - TILE_SIZE);
  const rest = { tile: next, from: 0, to: Math.min(to - TILE_SIZE, next.ends.length) };
  return { slices: [first, rest], more: next.ends.length > to - TILE_SIZE };
}

/** Returns a tile with more than `to` items, or else a full tile, or the last one. */
type TileReader = (tile: number, to: number) => Promise<Tile>;

/** True if the observations can end with this tile: the tiles before the newest one are full. */
function isPossible({ ends }: Tile, tile: number, newest: number | undefined): boolean {
  if (newest === undefined) return ends.length > 0;
  return tile > newest || (tile === newest && ends.length > 0) || ends.length === TILE_SIZE;
}

/**
 * The tile of the newest receipt in the installation's telemetry; -1 if there is none. It was stored before telemetry, so
 * it exists, and all tiles before it are full (docs/spec/publishing.md#damage). Undefined without telemetry.
 */
async function newestTile(
  installationId: string,
  named: NamedInstallation,
  { store }: ShimContext,
): Promise<number | undefined> {
  const key = telemetryKeyOf(installationId, named);
  const object = await store.get(key);
  if (object === undefined) return undefined;
  checkSubject(key, object, installationId);
  const { position = 0 } = decodeStored(object, key);
  return position > 0 ? tileOf(position) : -1;
}

interface Tile {
  readonly body: Uint8Array;
  /** The end of each item; the next begins after the line feed there. */
  readonly ends: readonly number[];
}

/** Items `from` (inclusive) to `to` (exclusive) of a tile. */
interface TileSlice {
  readonly tile: Tile;
  readonly from: number;
  readonly to: number;
}

const NO_TILE: Tile = { body: new Uint8Array(), ends: [] };

const LINE_FEED = 0x0a;
const COMMA = 0x2c;

function tileFrom({ body }: StoredObject): Tile {
  return { body, ends: endsOf(body) };
}

/** The items of some slices with commas between, as in a JSON array, between two texts. */
function joinItems(before: Uint8Array, slices: readonly TileSlice[], after: Uint8Array): Uint8Array {
  const filled = slices.filter(({ from, to }) => to > from);
  const length = filled.reduce((sum, slice) => sum + bytesOf(slice).length + 1, 0);
  const joined = new Uint8Array(before.length + Math.max(0, length - 1) + after.length);
  joined.set(before);
  let at = before.length;
  for (const slice of filled) {
    const { tile, from, to } = slice;
    const bytes = bytesOf(slice);
    const start = startOf(tile, from);
    joined.set(bytes, at);
    for (let item = from; item < to - 1; item++) joined[at + (tile.ends[item] ?? 0) - start] = COMMA;
    at += bytes.length;
    // The text after the last slice overwrites its comma.
    joined[at++] = COMMA;
  }
  joined.set(after, joined.length - after.length);
  return joined;
}

function bytesOf({ tile, from, to }: TileSlice): Uint8Array {
  return tile.body.subarray(startOf(tile, from), tile.ends[to - 1]);
}

function startOf(tile: Tile, item: number): number {
  return item === 0 ? 0 : (tile.ends[item - 1] ?? 0) + 1;
}

function endsOf(body: Uint8Array): number[] {
  if (body.length === 0) return [];
  const ends: number[] = [];
  for (let at = body.indexOf(LINE_FEED); at !== -1; at = body.indexOf(LINE_FEED, at + 1)) ends.push(at);
  ends.push(body.length);
  return ends;
}
