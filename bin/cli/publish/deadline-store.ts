import { type ObjectStore, StoreUnavailable } from "../../../src/object-store/object-store.ts";

/** The least time for the puts of a run that the chain would fill. */
const LONGEST_RESERVE_MS = 10_000;
const RESERVED_SHARE = 0.4;

/** Milliseconds that passes over the chain may take of a run's `limitMs`: a silent node holds nobody else up. */
export function chainTime(limitMs: number): number {
  return limitMs - Math.min(LONGEST_RESERVE_MS, limitMs * RESERVED_SHARE);
}

/**
 * A store in which a run starts nothing after its deadline. The next run finds the missing puts as after a crash. A call that
 * has begun ends by the store's own time limit.
 */
export function withDeadline(store: ObjectStore, monotonic: () => number, limitMs: number): ObjectStore {
  const end = monotonic() + limitMs;
  const inTime = () => {
    if (monotonic() >= end) throw new StoreUnavailable(`the run's time (${limitMs / 1_000} s, --deadline) is over`);
  };
  return {
    name: store.name,
    async get(key, options) {
      inTime();
      return store.get(key, options);
    },
    async put(key, object, condition) {
      inTime();
      return store.put(key, object, condition);
    },
    async delete(key) {
      inTime();
      return store.delete(key);
    },
    async *list(prefix) {
      inTime();
      yield* store.list(prefix);
    },
  };
}
