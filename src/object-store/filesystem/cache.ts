/**
 * Caches parsed objects of unchanged files. Each entry keeps its file open, so that a newer file cannot reuse the
 * inode. The same inode with the same size and time is therefore the same object, even if the clock is coarse.
 *
 * A file is cached from its second read. So a reader that visits thousands of tiles once evicts nothing, and each of
 * those tiles becomes young garbage, which is cheap to collect.
 */
import { type BigIntStats, closeSync } from "node:fs";
import { LRUCache } from "lru-cache";
import type { StoredObject } from "../object-store.ts";

/** Limits of open files and of their bytes. */
const MAX_ENTRIES = 512;
const MAX_BYTES = 64 << 20;
const MAX_SEEN = 1024;
/** Larger objects are not cached, because they would evict too many others. */
const MAX_OBJECT = 4 << 20;

export interface CachedFile {
  readonly fd: number;
  readonly stats: BigIntStats;
  readonly object: StoredObject;
}

export class FilesystemCache {
  private readonly kept = new LRUCache<string, CachedFile>({
    max: MAX_ENTRIES,
    maxSize: MAX_BYTES,
    sizeCalculation: (entry) => Math.max(1, sizeOf(entry)),
    dispose: ({ fd }) => closeSync(fd),
  });
  /** Paths that were read once recently. */
  private readonly seen = new LRUCache<string, true>({ max: MAX_SEEN });

  /** Returns the cached object if its file is unchanged. */
  get(path: string, stats: BigIntStats): StoredObject | undefined {
    const entry = this.kept.get(path);
    if (entry === undefined || isSameFile(entry.stats, stats)) return entry?.object;
    this.kept.delete(path);
    // Cache the replacing file at its first read.
    this.seen.set(path, true);
    return undefined;
  }

  /** Takes ownership of the open file, and closes it when the entry is removed. */
  add(path: string, entry: CachedFile): void {
    const again = this.seen.has(path) || this.kept.has(path);
    this.drop(path);
    if (again && entry.object.body.length <= MAX_OBJECT) this.kept.set(path, entry);
    else {
      closeSync(entry.fd);
      this.seen.set(path, true);
    }
  }

  drop(path: string): void {
    this.seen.delete(path);
    this.kept.delete(path);
  }
}

function sizeOf(entry: CachedFile): number {
  return Number(entry.stats.size);
}

function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.mtimeNs === other.mtimeNs && one.size === other.size && one.dev === other.dev;
}
