/**
 * The files of a log as C2SP's tlog-tiles requires them: their paths, which of them a size needs, and their bytes.
 * Sizes and indexes are safe integers.
 */
import { LogError } from "./log-error.ts";

/** A full tile has this many hashes, and a full bundle this many entries. */
export const TILE_WIDTH = 256;
export const HASH_BYTES = 32;
const MAX_ENTRY_BYTES = 0xffff;
const LENGTH_BYTES = 2;

/** A bundle of entries, or the place of a tile in its level. `width` is 1 to 256; less than 256 is partial. */
export interface Bundle {
  readonly index: number;
  readonly width: number;
}

/** The hashes `index · 256` to `index · 256 + width - 1` of a level. A hash of level L covers 256^L entries. */
export interface Tile extends Bundle {
  readonly level: number;
}

/** Returns such as `tile/1/x001/067.p/3`, relative to the log's prefix. */
export function tilePath({ level, ...place }: Tile): string {
  return `tile/${level}/${placePath(place)}`;
}

/** Returns such as `tile/entries/x001/067.p/3`, relative to the log's prefix. */
export function bundlePath(bundle: Bundle): string {
  return `tile/entries/${placePath(bundle)}`;
}

/** Three digits for each element, and an `x` before all but the last: 1234067 is `x001/x234/067`. */
function placePath({ index, width }: Bundle): string {
  const digits = String(index);
  const padded = digits.padStart(Math.ceil(digits.length / 3) * 3, "0");
  const elements = padded.match(/\d{3}/g) ?? [];
  const path = elements.map((element, at) => (at < elements.length - 1 ? `x${element}` : element)).join("/");
  return width === TILE_WIDTH ? path : `${path}.p/${width}`;
}

/** Returns the number of complete hashes of a level in a tree: `size / 256^level`, rounded down. */
export function hashesOfLevel(size: number, level: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/** Yields the bundles that a log of `size` entries has and a log of `since` entries has not, in ascending order. */
export function* newBundles(since: number, size: number): Generator<Bundle> {
  if (since >= size) return;
  for (let index = Math.floor(since / TILE_WIDTH); index * TILE_WIDTH < size; index++) {
    yield { index, width: Math.min(TILE_WIDTH, size - index * TILE_WIDTH) };
  }
}

/**
 * Yields the tiles that a log of `size` entries has and a log of `since` entries has not: level by level from the leaves,
 * each in ascending order. With `since` 0 these are all tiles of the log.
 */
export function* newTiles(since: number, size: number): Generator<Tile> {
  for (let level = 0; hashesOfLevel(size, level) > 0; level++) {
    for (const place of newBundles(hashesOfLevel(since, level), hashesOfLevel(size, level))) yield { level, ...place };
  }
}

/**
 * Returns the entries in a row, each after its length in two bytes. Throws a RangeError for no entry, for more than 256,
 * or for an entry over 65,535 bytes.
 */
export function encodeBundle(entries: readonly Uint8Array[]): Uint8Array {
  requireWidth(entries.length);
  const bytes = new Uint8Array(entries.reduce((sum, { length }) => sum + LENGTH_BYTES + length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const entry of entries) {
    if (entry.length > MAX_ENTRY_BYTES) throw new RangeError(`an entry has ${entry.length} bytes`);
    view.setUint16(at, entry.length);
    bytes.set(entry, at + LENGTH_BYTES);
    at += LENGTH_BYTES + entry.length;
  }
  return bytes;
}

/** Returns the entries, as views of `bytes`. Throws `log_malformed` unless there are exactly `width`. */
export function decodeBundle(bytes: Uint8Array, width: number): Uint8Array[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: Uint8Array[] = [];
  let at = 0;
  while (entries.length < width) {
    const start = at + LENGTH_BYTES;
    at = start <= bytes.length ? start + view.getUint16(at) : Number.POSITIVE_INFINITY;
    if (at > bytes.length) throw malformed(`the bundle ends within entry ${entries.length + 1} of ${width}`);
    entries.push(bytes.subarray(start, at));
  }
  if (at < bytes.length) throw malformed(`the bundle has ${bytes.length - at} bytes after its ${width} entries`);
  return entries;
}

/** Returns the hashes in a row. Throws a RangeError for no hash, for more than 256, or for one of another length. */
export function encodeTile(hashes: readonly Uint8Array[]): Uint8Array {
  requireWidth(hashes.length);
  const bytes = new Uint8Array(hashes.length * HASH_BYTES);
  hashes.forEach((hash, at) => {
    if (hash.length !== HASH_BYTES) throw new RangeError(`a hash has ${hash.length} bytes`);
    bytes.set(hash, at * HASH_BYTES);
  });
  return bytes;
}

/** Returns the hashes, as views of `bytes`. Throws `log_malformed` unless there are exactly `width`. */
export function decodeTile(bytes: Uint8Array, width: number): Uint8Array[] {
  if (bytes.length !== width * HASH_BYTES) {
    throw malformed(`the tile has ${bytes.length} bytes instead of ${width * HASH_BYTES}`);
  }
  return Array.from({ length: width }, (_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
}

function requireWidth(width: number): void {
  if (width < 1 || width > TILE_WIDTH) throw new RangeError(`${width} is not 1 to ${TILE_WIDTH}`);
}

function malformed(message: string): LogError {
  return new LogError("log_malformed", message);
}
