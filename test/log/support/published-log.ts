/** A log as a publisher writes it, with hashes by the slow definition of RFC 6962 instead of the product's code. */
import { createHash } from "node:crypto";
import { type Checkpoint, checkpointText } from "../../../src/log/checkpoint.ts";
import { newPrivateKey, parseSigner, type Signer, signNote } from "../../../src/log/signer.ts";
import {
  bundlePath,
  encodeBundle,
  encodeTile,
  hashesOfLevel,
  newBundles,
  newTiles,
  TILE_WIDTH,
  tilePath,
} from "../../../src/log/tiles.ts";
import { originOf } from "../../../src/values/log.ts";

export const NAME = "wheel.example.org";

/** Returns a new key of `NAME`. */
export function newSigner(name = NAME): Signer {
  return parseSigner(newPrivateKey(name));
}

export function entryText(index: number): string {
  return JSON.stringify({ index, text: "é".repeat(index % 5) });
}

export function sha256(...parts: readonly Uint8Array[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

function referenceLeaf(entry: string): Buffer {
  return sha256(Uint8Array.of(0), Buffer.from(entry));
}

/** The definition: the left subtree has the largest power of two below the number of leaves. */
function referenceRoot(leaves: readonly Uint8Array[]): Buffer {
  if (leaves.length === 0) return sha256();
  if (leaves.length === 1) return Buffer.from(leaves[0] as Uint8Array);
  let left = 1;
  while (left * 2 < leaves.length) left *= 2;
  return sha256(Uint8Array.of(1), referenceRoot(leaves.slice(0, left)), referenceRoot(leaves.slice(left)));
}

export interface PublisherOptions {
  readonly signers?: readonly Signer[];
  readonly textOf?: (index: number) => string;
}

/** Publishes a log in steps into `files`, which are named by their paths below the log's prefix. */
export class LogPublisher {
  readonly files = new Map<string, Uint8Array>();
  readonly signers: readonly Signer[];
  readonly #textOf: (index: number) => string;
  readonly #texts: string[] = [];
  /** The complete hashes of each level. */
  readonly #levels: Buffer[][] = [[]];

  constructor({ signers = [newSigner()], textOf = entryText }: PublisherOptions = {}) {
    this.signers = signers;
    this.#textOf = textOf;
  }

  /** Adds entries up to `size`, and puts a checkpoint. */
  grow(size: number): Checkpoint {
    const since = this.#texts.length;
    for (let index = since; index < size; index++) this.#append(this.#textOf(index));
    for (const bundle of newBundles(since, size)) {
      const first = bundle.index * TILE_WIDTH;
      const entries = this.#texts.slice(first, first + bundle.width).map((text) => Buffer.from(text));
      this.files.set(bundlePath(bundle), encodeBundle(entries));
    }
    for (const tile of newTiles(since, size)) {
      const first = tile.index * TILE_WIDTH;
      this.files.set(tilePath(tile), encodeTile((this.#levels[tile.level] ?? []).slice(first, first + tile.width)));
    }
    return this.putCheckpoint(size, this.rootAt(size));
  }

  putCheckpoint(size: number, root: string): Checkpoint {
    const checkpoint = { origin: originOf(this.signers[0]?.verifier.name ?? ""), size, root };
    this.files.set("checkpoint", Buffer.from(signNote(checkpointText(checkpoint), this.signers)));
    return checkpoint;
  }

  rootAt(size: number): string {
    return referenceRoot(this.#levels[0]?.slice(0, size) ?? []).toString("base64");
  }

  #append(text: string): void {
    this.#texts.push(text);
    this.#levels[0]?.push(referenceLeaf(text));
    for (let level = 1; this.#texts.length % TILE_WIDTH ** level === 0; level++) {
      const below = this.#levels[level - 1]?.slice(-TILE_WIDTH) ?? [];
      const hashes = this.#levels[level] ?? [];
      hashes.push(referenceRoot(below));
      this.#levels[level] = hashes;
      if (hashes.length !== hashesOfLevel(this.#texts.length, level)) throw new Error("the reference is wrong");
    }
  }
}
