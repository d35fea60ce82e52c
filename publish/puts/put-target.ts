import type { ObjectStore } from "../../src/object-store/object-store.ts";
import type { Fence } from "../lease/fenced-put.ts";

/** Where a cycle puts what it has planned, and under which lease. */
export interface PutTarget {
  readonly store: ObjectStore;
  readonly fence: Fence;
  /** Puts in flight at once. */
  readonly concurrency: number;
}
