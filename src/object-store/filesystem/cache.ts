/**
 * Parsed objects of unchanged files. Each entry keeps its file open: an open inode cannot be given to a newer file. So the
 * same inode with the same size and time is the same object, even if the clock is coarse.
 *
 * A file is kept from its second read on. A reader who walks through thousands of tiles evicts nothing, and a tile that is
 * read once becomes young garbage, which is cheap to collect.
 */
import { type BigIntStats, closeSync } from "node:fs";
import { LRUCache } from "lru-cache";
import type { StoredObject } from "../object-store.ts";

/** Open files and their bytes. */
const MAX_ENTRIES = 512;
const MAX_BYTES = 64 << 20;
const MAX_SEEN = 1024;
/** Larger objects are not worth what they would evict. */
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
  /** Paths read once recently. */
  private readonly seen = new LRUCache<string, true>({ max: MAX_SEEN });

  /** The object of a file that is unchanged since it was read. */
  get(path: string, stats: BigIntStats): StoredObject | undefined {
    const entry = this.kept.get(path);
    if (entry === undefined || isSameFile(entry.stats, stats)) return entry?.object;
    this.kept.delete(path);
    // The file that replaces it is wanted as much.
    this.seen.set(path, true);
    return undefined;
  }

  /** Takes over the open file: it is closed when the entry goes. */
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
