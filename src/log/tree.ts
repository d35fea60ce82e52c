/**
 * The Merkle tree of a log (RFC 6962, section 2.1), computed from the hashes of whole subtrees of 256 hashes each. Equal
 * sizes and roots mean equal entries in equal order (docs/spec/intake.md#log).
 */
import { hash } from "node:crypto";
import { elementAt } from "../values/unknown.ts";

/** A subtree of level L + 1 joins this many subtrees of level L. A leaf is a subtree of level 0. */
export const SUBTREE_WIDTH = 256;

/** Returns the SHA-256 hashes (32 bytes) of the subtrees `from` to `to - 1` of a level. */
export type SubtreeReader = (level: number, from: number, to: number) => readonly Buffer[];

const LEAF_PREFIX = "\0";
const NODE_PREFIX = 1;
const HASH_BYTES = 32;

/** Returns the hash of an entry: SHA-256 over a zero byte and the text in UTF-8. */
export function leafHash(entry: string): Buffer {
  return sha256(LEAF_PREFIX + entry);
}

/** Reused, because `hash` has read it when it returns. */
const node = Buffer.alloc(1 + 2 * HASH_BYTES, NODE_PREFIX);

export function nodeHash(left: Buffer, right: Buffer): Buffer {
  left.copy(node, 1);
  right.copy(node, 1 + HASH_BYTES);
  return sha256(node);
}

/** Asking Node for a buffer takes three times as long as this. */
function sha256(data: string | Buffer): Buffer {
  return Buffer.from(hash("sha256", data, "binary"), "latin1");
}

/** Returns the hashes of a text of hexadecimal digits. */
export function hashesOf(text: string): Buffer[] {
  const bytes = Buffer.from(text, "hex");
  const count = bytes.length / HASH_BYTES;
  return Array.from({ length: count }, (_, at) => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES));
}

/** Returns the hash that joins the hashes of equally large subtrees; their number is a power of two. */
export function joinedHash(hashes: readonly Buffer[], from = 0, to = hashes.length): Buffer {
  if (to - from === 1) return elementAt(hashes, from);
  const middle = (from + to) / 2;
  return nodeHash(joinedHash(hashes, from, middle), joinedHash(hashes, middle, to));
}

/** Returns the hash that joins the hashes `from` to `to - 1` of those that were read of a level. */
type Join = (level: number, hashes: readonly Buffer[], from: number, to: number) => Buffer;

const joinAnew: Join = (_level, hashes, from, to) => joinedHash(hashes, from, to);

/** Returns the root of the first `size` entries. It reads at most 255 hashes of each level. */
export function rootAt(size: number, read: SubtreeReader, join = joinAnew): Buffer {
  let root: Buffer | undefined;
  let count = size;
  for (let level = 0; count > 0; level++) {
    const width = count % SUBTREE_WIDTH;
    const whole = count - width;
    if (width > 0) {
      const hashes = read(level, whole, count);
      if (hashes.length !== width) throw new RangeError(`level ${level} lacks hashes before ${count}`);
      let end = width;
      // The last set bit of the rest is the smallest complete subtree on the right.
      for (let part = end & -end; part > 0; end -= part, part = end & -end) {
        const joined = join(level, hashes, end - part, end);
        root = root === undefined ? joined : nodeHash(joined, root);
      }
    }
    count = whole / SUBTREE_WIDTH;
  }
  return root ?? sha256("");
}

/** The hashes after the last whole subtree of a level, and their joined hashes, computed once while they only grow. */
export class Edge {
  /** The hashes as hexadecimal digits. */
  #text = "";
  /** `[k][i]` joins the 2^k hashes from i * 2^k on. */
  #trees: Buffer[][] = [[]];

  /** Takes the hashes (hexadecimal) of a newer state. Returns false if they do not begin with those of the last one. */
  put(text: string): boolean {
    const hasGrown = text.startsWith(this.#text);
    if (!hasGrown) this.#trees = [[]];
    const added = hashesOf(hasGrown ? text.slice(this.#text.length) : text);
    this.#text = text;
    for (const hash of added) this.#push(hash);
    return hasGrown;
  }

  /** Returns the first `count` hashes. */
  hashes(count: number): readonly Buffer[] {
    return this.#trees[0]?.slice(0, count) ?? [];
  }

  /** Returns the hash that joins the hashes `from` to `to - 1`: a complete subtree that was put. */
  joined(from: number, to: number): Buffer {
    return elementAt(this.#trees[Math.log2(to - from)] ?? [], from / (to - from));
  }

  #push(leaf: Buffer): void {
    let hash = leaf;
    for (let k = 0; ; k++) {
      const row = (this.#trees[k] ??= []);
      if (row.push(hash) % 2 === 1) return;
      hash = nodeHash(elementAt(row, row.length - 2), hash);
    }
  }
}

/** Computes the root of entries that arrive one by one, in little memory. */
export class GrowingTree {
  /** The hashes after the last whole subtree, by level. */
  readonly #ends: Buffer[][] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  append(entry: string): void {
    this.#add(0, leafHash(entry));
    this.#size++;
  }

  #add(level: number, hash: Buffer): void {
    const end = (this.#ends[level] ??= []);
    if (end.push(hash) < SUBTREE_WIDTH) return;
    this.#ends[level] = [];
    this.#add(level + 1, joinedHash(end));
  }

  root(): Buffer {
    return rootAt(this.#size, (level) => this.#ends[level] ?? []);
  }
}
