/** Counts a store's requests by key. */
import type { ObjectStore } from "../../../../src/object-store/object-store.ts";

export interface RequestCounts {
  puts: number;
  gets: number;
  deletes: number;
}

/** By key. The tiles of one log, history or activity category count as one key that ends in `…`. */
export type Counts = Map<string, RequestCounts>;

export function countingStore(store: ObjectStore, counts: Counts): ObjectStore {
  const count = (key: string, method: keyof RequestCounts) => {
    const name = key
      .replace(/(\/observations\/[^/]+\/|\/tiles\/)[^/]*$/, "$1…")
      .replace(/^((?:private\/)?log\/\d+\/tile\/[^/]+\/).*$/, "$1…");
    const requests = counts.get(name) ?? { puts: 0, gets: 0, deletes: 0 };
    requests[method]++;
    counts.set(name, requests);
  };
  return {
    name: store.name,
    get: (key, options) => (count(key, "gets"), store.get(key, options)),
    put: (key, object, condition) => (count(key, "puts"), store.put(key, object, condition)),
    delete: (key) => (count(key, "deletes"), store.delete(key)),
    list: (prefix) => store.list(prefix),
  };
}
