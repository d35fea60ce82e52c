import type { Row } from "../../http/route.ts";
import { type ObjectStore, StoreDamaged, type StoredObject } from "../../object-store/object-store.ts";
import type { MaybePromise, StoreReader } from "../context.ts";

/** A store as the shim reads it: synchronously if the store can. */
export function storeReader(store: Pick<ObjectStore, "get" | "getNow">): StoreReader {
  const getNow = store.getNow?.bind(store);
  return getNow === undefined ? store : { get: getNow };
}

/**
 * Requests that Node hands over in one tick of its loop share one read of an object. All of them had arrived before the
 * read began, so that none misses a put it could know of. For stores with quick reads: a slow read is not shared beyond
 * its tick.
 */
export function tickStore(store: StoreReader): StoreReader {
  let reads: Map<string, MaybePromise<StoredObject | undefined>> | undefined;
  return {
    get(key, options) {
      if (options?.fresh === true) return store.get(key, options);
      if (reads === undefined) {
        reads = new Map();
        setImmediate(() => {
          reads = undefined;
        });
      }
      const known = reads.get(key);
      if (known !== undefined || reads.has(key)) return known;
      const read = store.get(key, options);
      reads.set(key, read);
      return read;
    },
  };
}

/** By HTTP status. */
const STATUSES = 600;

export interface RequestCount {
  /** Its row's path with its placeholder, or `none` without a row: unknown paths and wrong methods. */
  readonly route: string;
  readonly status: number;
  readonly count: number;
}

export type ReadOutcome = "found" | "absent" | "damaged" | "failed";

export class ShimCounts {
  readonly reads: Record<ReadOutcome, number> = { found: 0, absent: 0, damaged: 0, failed: 0 };
  readonly #byRow = new Map<Row | undefined, Float64Array>();

  count(row: Row | undefined, status: number): void {
    let counts = this.#byRow.get(row);
    if (counts === undefined) {
      counts = new Float64Array(STATUSES);
      this.#byRow.set(row, counts);
    }
    counts[status] = (counts[status] ?? 0) + 1;
  }

  *requests(): Iterable<RequestCount> {
    for (const [row, counts] of this.#byRow) {
      const route = row?.path ?? "none";
      for (const [status, count] of counts.entries()) if (count > 0) yield { route, status, count };
    }
  }
}

/** The same store, with its reads counted by outcome. */
export function countedReads(store: StoreReader, { reads }: ShimCounts): StoreReader {
  const ended = (object: StoredObject | undefined) => {
    reads[object === undefined ? "absent" : "found"] += 1;
  };
  const failed = (error: unknown) => {
    reads[error instanceof StoreDamaged ? "damaged" : "failed"] += 1;
  };
  return {
    get(key, options) {
      try {
        const read = store.get(key, options);
        if (read instanceof Promise) read.then(ended, failed);
        else ended(read);
        return read;
      } catch (error) {
        failed(error);
        throw error;
      }
    },
  };
}
