/**
 * Reads a published log and believes nothing of it without proof: the checkpoint by its signature, tiles and entries by
 * the checkpoint's root. It knows only how to read a file by its path below the log's prefix.
 */
import { originOf } from "../values/log.ts";
import { printable } from "../values/printable.ts";
import { elementAt } from "../values/unknown.ts";
import { type Checkpoint, parseCheckpoint } from "./checkpoint.ts";
import { LogError } from "./log-error.ts";
import { openNote, type Verifier } from "./note.ts";
import { isSame, leafHash, ProvedTree } from "./proof.ts";
import { type Bundle, bundlePath, decodeBundle, decodeTile, TILE_WIDTH, type Tile, tilePath } from "./tiles.ts";

/** Returns a file's bytes; undefined if there is no such file. It bounds their number: a full bundle may have 16.8 MB. */
export type FileReader = (path: string) => Promise<Uint8Array | undefined>;

export interface Entry {
  /** Counts from 0. */
  readonly index: number;
  /** Exactly what was hashed. */
  readonly text: string;
}

/**
 * Reads the checkpoint. Throws `log_incomplete` if there is none, `log_malformed`, `log_unsigned`, or `log_restarted` if
 * it belongs to a log with another name.
 */
export async function readCheckpoint(read: FileReader, known: readonly Verifier[]): Promise<Checkpoint> {
  const bytes = await read("checkpoint");
  if (bytes === undefined) throw new LogError("log_incomplete", "the log has no checkpoint");
  const { text, signedBy } = await openNote(bytes, known);
  const checkpoint = parseCheckpoint(text);
  const origins = signedBy.map(({ name }) => originOf(name));
  if (origins.includes(checkpoint.origin)) return checkpoint;
  throw new LogError("log_restarted", `the checkpoint is of ${printable(checkpoint.origin)}, not of ${origins[0]}`);
}

/** The entries and proofs of a log up to a checkpoint. */
export class PublicLog {
  readonly #read: FileReader;
  readonly #checkpoint: Checkpoint;
  readonly #tree: ProvedTree;

  /** `checkpoint` comes from `readCheckpoint`, or from a caller who has checked it earlier. */
  constructor(read: FileReader, checkpoint: Checkpoint) {
    this.#read = read;
    this.#checkpoint = checkpoint;
    this.#tree = new ProvedTree(checkpoint, (tile) => readTile(read, tile));
  }

  /**
   * Yields the entries `from` to `to - 1` in order, each after its proof. Throws `log_incomplete`, `log_malformed` or
   * `log_damaged`.
   */
  async *entries(from = 0, to = this.#checkpoint.size): AsyncGenerator<Entry, void, undefined> {
    const { size } = this.#checkpoint;
    if (!(Number.isSafeInteger(from) && Number.isSafeInteger(to) && from >= 0 && to <= size)) {
      throw new RangeError(`${from} to ${to} is not within the ${size} entries of the checkpoint`);
    }
    for (let start = from; start < to; start = nextBundle(start)) {
      const index = Math.floor(start / TILE_WIDTH);
      const entries = await this.#bundle(index);
      const first = index * TILE_WIDTH;
      for (let at = start; at < Math.min(to, nextBundle(start)); at++) {
        yield { index: at, text: textOf(elementAt(entries, at - first), at) };
      }
    }
  }

  /** True if the entry at this index has exactly these bytes. Throws like `entries`. */
  async includes(index: number, bytes: Uint8Array): Promise<boolean> {
    if (!(Number.isSafeInteger(index) && index >= 0 && index < this.#checkpoint.size)) return false;
    const leaves = await this.#tree.leaves(Math.floor(index / TILE_WIDTH));
    return isSame(await leafHash(bytes), elementAt(leaves, index % TILE_WIDTH));
  }

  /** Proves that the log still begins with what an earlier checkpoint had. Throws `log_rewritten`, and like `entries`. */
  async requirePrefix(earlier: Checkpoint): Promise<void> {
    const { origin, size, root } = this.#checkpoint;
    if (earlier.origin !== origin) {
      throw new LogError("log_restarted", `the log was ${printable(earlier.origin)} and is now ${printable(origin)}`);
    }
    if (earlier.size > size) {
      throw new LogError("log_rewritten", `the log had ${earlier.size} entries and has only ${size}`);
    }
    const now = earlier.size === size ? root : await this.#tree.rootAt(earlier.size);
    if (now === earlier.root) return;
    throw new LogError("log_rewritten", `the first ${earlier.size} entries had the root ${earlier.root}, now ${now}`);
  }

  async #bundle(index: number): Promise<readonly Uint8Array[]> {
    const width = Math.min(TILE_WIDTH, this.#checkpoint.size - index * TILE_WIDTH);
    const [entries, leaves] = await Promise.all([readBundle(this.#read, { index, width }), this.#tree.leaves(index)]);
    const hashes = await Promise.all(entries.map(leafHash));
    const wrong = hashes.findIndex((hash, at) => !isSame(hash, elementAt(leaves, at)));
    if (wrong === -1) return entries;
    const path = bundlePath({ index, width });
    throw new LogError("log_damaged", `entry ${index * TILE_WIDTH + wrong} in ${path} does not hash into the tree`);
  }
}

function textOf(entry: Uint8Array, index: number): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(entry);
  } catch {
    throw new LogError("log_malformed", `entry ${index} is not UTF-8`);
  }
}

function nextBundle(index: number): number {
  return (Math.floor(index / TILE_WIDTH) + 1) * TILE_WIDTH;
}

async function readTile(read: FileReader, tile: Tile): Promise<readonly Uint8Array[]> {
  const found = await readPlace(tile, tilePath, read);
  return decodeTile(found.bytes, found.width).slice(0, tile.width);
}

async function readBundle(read: FileReader, bundle: Bundle): Promise<readonly Uint8Array[]> {
  const found = await readPlace(bundle, bundlePath, read);
  return decodeBundle(found.bytes, found.width).slice(0, bundle.width);
}

/** A log may delete a partial file once the full one exists. The full one begins with the same. */
async function readPlace<Place extends Bundle>(
  place: Place,
  pathOf: (place: Place) => string,
  read: (path: string) => Promise<Uint8Array | undefined>,
): Promise<{ bytes: Uint8Array; width: number }> {
  for (const width of new Set([place.width, TILE_WIDTH])) {
    const bytes = await read(pathOf({ ...place, width }));
    if (bytes !== undefined) return { bytes, width };
  }
  throw new LogError("log_incomplete", `the log has no ${pathOf(place)}`);
}
