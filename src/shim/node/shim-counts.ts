/** Counts of the shim's work since it began. They are plain numbers, so that counting costs nothing. */
import type { Row } from "../../http/route.ts";
import { StoreDamaged, type StoredObject } from "../../object-store/object-store.ts";
import type { StoreReader } from "../recent.ts";

/** By HTTP status. */
const STATUSES = 600;

export interface RequestCount {
  /** Its row's path with its placeholder, or `none` without a row: unknown paths, wrong methods, malformed HTTP. */
  readonly route: string;
  readonly status: number;
  readonly count: number;
}

export type ReadOutcome = "found" | "absent" | "damaged" | "failed";

export class ShimCounts {
  readonly reads: Record<ReadOutcome, number> = { found: 0, absent: 0, damaged: 0, failed: 0 };
  readonly #byRow = new Map<Row | undefined, Float64Array>();

  answered(row: Row | undefined, status: number): void {
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
