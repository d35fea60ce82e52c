/**
 * Parsed objects of files that have not changed. Each entry keeps its file open: an inode that is open cannot be given
 * to a newer file, so that the same inode with the same size and time is the same object, whatever the clock's grain.
 *
 * A file is kept when it is read a second time. A reader who walks through thousands of tiles drives out nothing, and
 * what he reads once is garbage at once: a collector has little to do with what dies young.
 */
import { type BigIntStats, closeSync } from "node:fs";
import type { StoredObject } from "../object-store.ts";

/** Open files and their bytes. */
const MAX_ENTRIES = 512;
const MAX_BYTES = 64 << 20;
const MAX_SEEN = 1024;
/** Larger objects are not worth what they would drive out. */
const MAX_OBJECT = 4 << 20;

export interface CachedFile {
  readonly fd: number;
  readonly stats: BigIntStats;
  readonly object: StoredObject;
}

export class FilesystemCache {
  private readonly kept = new Kept();
  /** Paths read once of late, oldest first. */
  private readonly seen = new Set<string>();

  /** The object of a file that is still the one that was read. */
  get(path: string, stats: BigIntStats): StoredObject | undefined {
    const entry = this.kept.take(path);
    if (entry === undefined) return undefined;
    if (isSameFile(entry.stats, stats)) {
      this.kept.add(path, entry);
      return entry.object;
    }
    closeSync(entry.fd);
    // What takes its place is wanted as much.
    this.seen.add(path);
    return undefined;
  }

  /** Takes the open file over: it is closed when the entry goes. */
  add(path: string, entry: CachedFile): void {
    const again = this.seen.has(path) || this.kept.has(path);
    this.drop(path);
    if (again && entry.object.body.length <= MAX_OBJECT) this.kept.add(path, entry);
    else {
      closeSync(entry.fd);
      this.remember(path);
    }
  }

  drop(path: string): void {
    this.seen.delete(path);
    const entry = this.kept.take(path);
    if (entry !== undefined) closeSync(entry.fd);
  }

  private remember(path: string): void {
    this.seen.add(path);
    const [oldest] = this.seen;
    if (this.seen.size > MAX_SEEN && oldest !== undefined) this.seen.delete(oldest);
  }
}

/** A map in the order of use, oldest first. */
class Kept {
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

  has(path: string): boolean {
    return this.entries.has(path);
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
