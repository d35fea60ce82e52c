/** Checks the stored logs: each from its own entries, and the responses against the checkpoints. */
import { checkpointKey, logPrefix, PRIVATE_LOGS, PUBLIC_LOGS, parseCheckpointKey } from "../http/keys.ts";
import { type Bundle, bundlePath, newBundles, newTiles, TILE_WIDTH, tilePath } from "../log/tiles.ts";
import { joinedHash, rootAt, SUBTREE_WIDTH } from "../log/tree.ts";
import type { Facts, LogFacts } from "./facts.ts";
import { lifetimeComplaint } from "./lifetime.ts";
import type { StoreFinding } from "./rules.ts";

/** Recomputes the root of each log from its entries, and compares tiles and responses with it. */
export function* logFindings(all: Facts): Generator<StoreFinding> {
  const { logs, writers, damaged } = all;
  const committed = new Map<number, number>();
  for (const facts of logs.values()) {
    const { root: place, log, checkpoint } = facts;
    const key = checkpointKey(place, log);
    if (checkpoint === undefined) {
      // A log that is public now has left its private bundles behind.
      const isLeft = place === PRIVATE_LOGS && logs.has(logPrefix(PUBLIC_LOGS, log));
      if (!(damaged.has(key) || isLeft)) yield { rule: "log", key, says: "it is missing, and the log has entries" };
      continue;
    }
    const { origin, size, root } = checkpoint;
    committed.set(log, Math.max(size, committed.get(log) ?? 0));
    const isOwn = place === PRIVATE_LOGS ? `${origin}/` === logPrefix(place, log) : origin.endsWith(`/log/${log}`);
    if (!isOwn) yield { rule: "log", key, says: `it is of ${origin}` };
    const leaves: Buffer[] = [];
    const counted: CountedEntry[] = [];
    for (const bundle of newBundles(0, size)) {
      const path = pathOf(bundle, facts);
      const found = facts.bundles.get(path);
      if (found === undefined || found.length < bundle.width) break;
      leaves.push(...found.slice(0, bundle.width));
      const first = bundle.index * TILE_WIDTH;
      for (const [place, text] of facts.counted.get(path) ?? []) counted.push({ index: first + place, text });
    }
    if (leaves.length < size) {
      yield { rule: "log-root", key, says: `${leaves.length} of its ${size} entries are stored without a gap` };
      continue;
    }
    const levels = levelsOf(leaves);
    if (merkleRoot(size, levels) !== root) {
      yield { rule: "log-root", key, says: `its ${size} stored entries have another root` };
      continue;
    }
    if (place === PUBLIC_LOGS) yield* tileFindings(facts, size, levels);
    yield* lifetimeFindings(all, { log, size, counted });
  }
  for (const [key, { sourceVersion }] of writers) {
    const { log = 0, size = 0, root } = sourceVersion;
    const limit = committed.get(log);
    if (root === undefined || limit === undefined || parseCheckpointKey(key) !== undefined || size <= limit) continue;
    yield { rule: "log-ahead", key, says: `it is of ${size} entries, and the checkpoint of log ${log} has ${limit}` };
  }
}

/** A public log has partial bundles under keys of their own. */
function pathOf(bundle: Bundle, { root, bundles }: LogFacts): string {
  const path = bundlePath(bundle);
  return root === PUBLIC_LOGS && bundles.has(path) ? path : bundlePath({ ...bundle, width: TILE_WIDTH });
}

interface CountedEntry {
  readonly index: number;
  readonly text: string;
}

/** Compares statistics with the entries of the log from which they were computed. */
function* lifetimeFindings(
  { statistics, writers }: Facts,
  { log, size, counted }: { readonly log: number; readonly size: number; readonly counted: readonly CountedEntry[] },
): Generator<StoreFinding> {
  for (const [key, body] of statistics) {
    const { sourceVersion } = writers.get(key) ?? {};
    const { size: own = 0 } = sourceVersion ?? {};
    // `log-ahead` says that there are more.
    if (sourceVersion?.log !== log || own > size) continue;
    const entries = counted.filter(({ index }) => index < own).map(({ text }) => text);
    const says = lifetimeComplaint(body, entries);
    if (says !== undefined) yield { rule: "lifetime", key, says };
  }
}

/** Compares the tiles that a reader of the checkpoint needs with the hashes of the entries. */
function* tileFindings({ root, log, tiles }: LogFacts, size: number, levels: Levels): Generator<StoreFinding> {
  for (const tile of newTiles(0, size)) {
    const path = tilePath(tile);
    const found = tiles.get(path) ?? tiles.get(tilePath({ ...tile, width: TILE_WIDTH }));
    const first = tile.index * TILE_WIDTH;
    const expected = Buffer.concat(levels[tile.level]?.slice(first, first + tile.width) ?? []);
    if (found !== undefined && Buffer.compare(found.subarray(0, expected.length), expected) === 0) continue;
    const says = found === undefined ? "it is missing" : "it has other hashes than its entries";
    yield { rule: "log-root", key: logPrefix(root, log) + path, says };
  }
}

/** By level: the hashes of entries, of 256 entries each, and so on. */
type Levels = readonly (readonly Buffer[])[];

function levelsOf(leaves: readonly Buffer[]): Levels {
  const levels: (readonly Buffer[])[] = [leaves];
  for (let below = leaves; below.length >= SUBTREE_WIDTH; ) {
    const count = Math.floor(below.length / SUBTREE_WIDTH);
    const hashes = below;
    below = Array.from({ length: count }, (_, n) => joinedHash(hashes, n * SUBTREE_WIDTH, (n + 1) * SUBTREE_WIDTH));
    levels.push(below);
  }
  return levels;
}

function merkleRoot(size: number, levels: Levels): string {
  return rootAt(size, (level, from, to) => levels[level]?.slice(from, to) ?? []).toString("base64");
}
