/**
 * A stored tile of observations: its items' JSON texts, one a line. Pages are cut from the bytes and nothing is decoded, so
 * that a new tile costs little more than a known one.
 */
import type { StoredObject } from "../../object-store/object-store.ts";

export interface Tile {
  readonly body: Uint8Array;
  /** The end of each item; the next begins after the line feed there. */
  readonly ends: readonly number[];
}

/** Items `from` (inclusive) to `to` (exclusive) of a tile. */
export interface TileSlice {
  readonly tile: Tile;
  readonly from: number;
  readonly to: number;
}

export const NO_TILE: Tile = { body: new Uint8Array(), ends: [] };

const LINE_FEED = 0x0a;
const COMMA = 0x2c;

/** Kept with an object that a store may return again. */
const known = new WeakMap<StoredObject, Tile>();

export function tileFrom(object: StoredObject): Tile {
  let tile = known.get(object);
  if (tile === undefined) {
    tile = { body: object.body, ends: endsOf(object.body) };
    known.set(object, tile);
  }
  return tile;
}

/** The items of some slices with commas between, as in a JSON array, between two texts. */
export function joinItems(before: Uint8Array, slices: readonly TileSlice[], after: Uint8Array): Uint8Array {
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
