/**
 * Proves hashes of a tree (RFC 6962, section 2.1) from its tiles, by WebCrypto. A tile counts only after it was hashed
 * into the tree's root, so a server cannot invent one.
 */
import { base64Text } from "../values/base64.ts";
import { elementAt } from "../values/unknown.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { LogError } from "./log-error.ts";
import { HASH_BYTES, hashesOfLevel, TILE_WIDTH, type Tile, tilePath } from "./tiles.ts";

export type Hash = Uint8Array<ArrayBuffer>;

/** Returns a tile's hashes, `width` of them. They may be wrong. */
export type TileReader = (tile: Tile) => Promise<readonly Uint8Array[]>;

/** Proved tiles that are kept (8 kB each). Reading entries in order needs one of each level. */
const KEPT_TILES = 64;

/** Returns SHA-256(0x00 ‖ entry). */
export async function leafHash(entry: Uint8Array): Promise<Hash> {
  const bytes = new Uint8Array(1 + entry.length);
  bytes.set(entry, 1);
  return sha256(bytes);
}

/** The hashes of one signed tree. Its methods throw `log_damaged` if a tile does not hash into the root. */
export class ProvedTree {
  readonly #tree: Pick<Checkpoint, "size" | "root">;
  readonly #read: TileReader;
  /** By path, the most recently used last. */
  readonly #kept = new Map<string, Promise<readonly Uint8Array[]>>();
  #edge: Promise<ReadonlyMap<number, readonly Uint8Array[]>> | undefined;

  constructor(tree: Pick<Checkpoint, "size" | "root">, read: TileReader) {
    this.#tree = tree;
    this.#read = read;
  }

  /** Returns the leaf hashes `index · 256` up to the end of the tile or of the tree. */
  leaves(index: number): Promise<readonly Uint8Array[]> {
    return this.#proved(0, index);
  }

  /** Returns the root (base64) that the tree's first entries have. `size` is at most the tree's. */
  async rootAt(size: number): Promise<string> {
    return base64Text(await rootOf(size, async ({ level, index }) => this.#proved(level, index)));
  }

  /** Only full tiles have a parent: a hash one level up. The partial ones are proved together, by the root. */
  async #proved(level: number, index: number): Promise<readonly Uint8Array[]> {
    if ((index + 1) * TILE_WIDTH > hashesOfLevel(this.#tree.size, level)) {
      return (await this.#rightEdge()).get(level) as readonly Uint8Array[];
    }
    const tile = { level, index, width: TILE_WIDTH };
    const path = tilePath(tile);
    const kept = this.#kept.get(path) ?? this.#provedByParent(tile);
    this.#kept.delete(path);
    this.#kept.set(path, kept);
    // A failure is not kept, because the next attempt may read the tile.
    kept.catch(() => this.#kept.get(path) === kept && this.#kept.delete(path));
    for (const oldest of this.#kept.keys()) if (this.#kept.size > KEPT_TILES) this.#kept.delete(oldest);
    return kept;
  }

  async #provedByParent(tile: Tile): Promise<readonly Uint8Array[]> {
    const { level, index } = tile;
    const [parent, hashes] = await Promise.all([
      this.#proved(level + 1, Math.floor(index / TILE_WIDTH)),
      this.#read(tile),
    ]);
    const expected = elementAt(parent, index % TILE_WIDTH);
    if (!isSame(await joinedHash(hashes), expected)) {
      throw damaged(`the tile ${tilePath(tile)} does not hash into its parent`);
    }
    return hashes;
  }

  /** The partial tile of each level that has one. Together they hash into the root. */
  #rightEdge(): Promise<ReadonlyMap<number, readonly Uint8Array[]>> {
    const edge = this.#edge ?? this.#readEdge();
    this.#edge = edge;
    edge.catch(() => {
      this.#edge = undefined;
    });
    return edge;
  }

  async #readEdge(): Promise<ReadonlyMap<number, readonly Uint8Array[]>> {
    const edge = new Map<number, readonly Uint8Array[]>();
    const root = await rootOf(this.#tree.size, async (tile) => {
      const hashes = await this.#read(tile);
      edge.set(tile.level, hashes);
      return hashes;
    });
    if (base64Text(root) === this.#tree.root) return edge;
    const paths = [...edge].map(([level, { length: width }]) => {
      return tilePath({ level, index: Math.floor(hashesOfLevel(this.#tree.size, level) / TILE_WIDTH), width });
    });
    throw damaged(`${paths.join(" and ")} do not hash into the root of size ${this.#tree.size}`);
  }
}

/** Returns the root of a tree of `size` entries, from the partial tile of each level. */
async function rootOf(size: number, read: TileReader): Promise<Uint8Array> {
  let root: Uint8Array | undefined;
  for (let level = 0; hashesOfLevel(size, level) > 0; level++) {
    const width = hashesOfLevel(size, level) % TILE_WIDTH;
    if (width === 0) continue;
    const hashes = await read({ level, index: hashesOfLevel(size, level + 1), width });
    let end = width;
    // The last set bit of the rest is the smallest complete subtree on the right.
    for (let part = end & -end; part > 0; end -= part, part = end & -end) {
      const joined = await joinedHash(hashes.slice(end - part, end));
      root = root === undefined ? joined : await nodeHash(joined, root);
    }
  }
  return root ?? sha256(new Uint8Array());
}

/** Joins the hashes of equally large subtrees; their number is a power of two. */
async function joinedHash(hashes: readonly Uint8Array[]): Promise<Uint8Array> {
  let level = hashes;
  while (level.length > 1) {
    const below = level;
    level = await Promise.all(
      Array.from({ length: below.length / 2 }, (_, at) =>
        nodeHash(elementAt(below, 2 * at), elementAt(below, 2 * at + 1)),
      ),
    );
  }
  return elementAt(level, 0);
}

/** Returns SHA-256(0x01 ‖ left ‖ right). */
function nodeHash(left: Uint8Array, right: Uint8Array): Promise<Hash> {
  const bytes = new Uint8Array(1 + 2 * HASH_BYTES);
  bytes[0] = 1;
  bytes.set(left, 1);
  bytes.set(right, 1 + HASH_BYTES);
  return sha256(bytes);
}

async function sha256(bytes: Hash): Promise<Hash> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** True if two hashes are equal. */
export function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.every((byte, at) => byte === other[at]);
}

function damaged(message: string): LogError {
  return new LogError("log_damaged", message);
}
