/** Wraps a store and reports its requests to a callback. */
import { hasClock, type ObjectStore, type StoreClock, StoreConflict, StoreDamaged } from "./object-store.ts";

export type StoreOperation = "get" | "put" | "delete" | "list";
/** For a get, `done` means found. `conflict` is a failed condition. */
export type StoreOutcome = "done" | "absent" | "conflict" | "damaged" | "failed";

/** Keys per page of a list, for counting list requests. */
const KEYS_A_PAGE = 1_000;

/** Calls `count` after each request; for a list with its prefix, once per page. */
export function countedStore(
  store: ObjectStore,
  count: (operation: StoreOperation, key: string, outcome: StoreOutcome) => void,
): ObjectStore {
  const countCall = async <T>(operation: StoreOperation, key: string, call: Promise<T>): Promise<T> => {
    try {
      const result = await call;
      count(operation, key, operation === "get" && result === undefined ? "absent" : "done");
      return result;
    } catch (error) {
      count(operation, key, outcomeOf(error));
      throw error;
    }
  };
  const counted: ObjectStore = {
    name: store.name,
    get: (key, options) => countCall("get", key, store.get(key, options)),
    put: (key, object, condition) => countCall("put", key, store.put(key, object, condition)),
    delete: (key) => countCall("delete", key, store.delete(key)),
    async *list(prefix) {
      let keys = 0;
      for await (const key of store.list(prefix)) {
        if (keys++ % KEYS_A_PAGE === 0) count("list", prefix, "done");
        yield key;
      }
      if (keys === 0) count("list", prefix, "done");
    },
  };
  if (!hasClock(store)) return counted;
  const clock: StoreClock = {
    measureClock: (now) => store.measureClock(now),
    watchClock: (now, onBounds) => store.watchClock(now, onBounds),
  };
  return Object.assign(counted, clock);
}

function outcomeOf(error: unknown): StoreOutcome {
  if (error instanceof StoreConflict) return "conflict";
  return error instanceof StoreDamaged ? "damaged" : "failed";
}
