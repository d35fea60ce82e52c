/** Stores for tests that disturb the calls of another store. */
import type { ObjectStore } from "../../src/object-store/object-store.ts";

export type Step = <T>(call: () => Promise<T>) => Promise<T>;

/** Each call passes through `step`, which can count it or throw before or after it. */
export function steppedStore(store: ObjectStore, step: Step): ObjectStore {
  return {
    name: store.name,
    get: (key, options) => step(() => store.get(key, options)),
    put: (key, object, condition) => step(() => store.put(key, object, condition)),
    delete: (key) => step(() => store.delete(key)),
    list: (prefix) => store.list(prefix),
  };
}

/** The store with another put. */
export function storeWithPut(store: ObjectStore, put: ObjectStore["put"]): ObjectStore {
  return { ...steppedStore(store, (call) => call()), put };
}
