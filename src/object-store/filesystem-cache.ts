/**
 * Parsed objects of files that have not changed. Each entry keeps its file open: an inode that is open cannot be given
 * to a newer file, so that the same inode with the same size and time is the same object, whatever the clock's grain.
 *
 * An object read once waits on probation, one read again is kept apart: a reader who walks through thousands of tiles
 * drives out other tiles, never the heads that everybody reads.
 */
import { type BigIntStats, closeSync } from "node:fs";
import type { StoredObject } from "./object-store.ts";

/** Open files and bytes of each half; together 512 files and 64 MB at most. */
const MAX_ENTRIES = 256;
const MAX_BYTES = 32 << 20;
/** Larger objects are not worth what they would drive out. */
const MAX_OBJECT = 4 << 20;

export interface CachedFile {
  readonly fd: number;
  readonly stats: BigIntStats;
  readonly object: StoredObject;
}

export class FilesystemCache {
  private readonly probation = new Half();
  private readonly kept = new Half();

  /** The object of a file that is still the one that was read. */
  get(path: string, stats: BigIntStats): StoredObject | undefined {
    const kept = this.kept.take(path);
    const entry = kept ?? this.probation.take(path);
    if (entry === undefined) return undefined;
    if (!isSameFile(entry.stats, stats)) {
      closeSync(entry.fd);
      return undefined;
    }
    this.kept.add(path, entry);
    return entry.object;
  }

  /** Takes the open file over: it is closed when the entry goes. */
  add(path: string, entry: CachedFile): void {
    this.drop(path);
    if (entry.object.body.length > MAX_OBJECT) closeSync(entry.fd);
    else this.probation.add(path, entry);
  }

  drop(path: string): void {
    for (const half of [this.kept, this.probation]) {
      const entry = half.take(path);
      if (entry !== undefined) closeSync(entry.fd);
    }
  }
}

/** A map in the order of use, oldest first. */
class Half {
  private readonly entries = new Map<string, CachedFile>();
  private bytes = 0;

  add(path: string, entry: CachedFile): void {
    this.entries.set(path, entry);
    this.bytes += sizeOf(entry);
    for (const [oldest, { fd }] of this.entries) {
      if (this.entries.size <= MAX_ENTRIES && this.bytes <= MAX_BYTES) break;
      this.take(oldest);
      closeSync(fd);
    }
  }

  take(path: string): CachedFile | undefined {
    const entry = this.entries.get(path);
    if (entry === undefined) return undefined;
    this.entries.delete(path);
    this.bytes -= sizeOf(entry);
    return entry;
  }
}

function sizeOf(entry: CachedFile): number {
  return Number(entry.stats.size);
}

function isSameFile(one: BigIntStats, other: BigIntStats): boolean {
  return one.ino === other.ino && one.mtimeNs === other.mtimeNs && one.size === other.size && one.dev === other.dev;
}
