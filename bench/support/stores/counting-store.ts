/** Counts what a store is asked, by key. */
import type { ObjectStore } from "../../../src/object-store/object-store.ts";

export interface Asked {
  puts: number;
  gets: number;
  deletes: number;
}

/** By key; the tiles of one history, or of one category's feed, count as one key that ends in `…`. */
export type Counts = Map<string, Asked>;

export function countingStore(store: ObjectStore, counts: Counts): ObjectStore {
  const count = (key: string, what: keyof Asked) => {
    const name = key.replace(/(\/observations\/[^/]+\/|\/tiles\/)[^/]*$/, "$1…");
    const asked = counts.get(name) ?? { puts: 0, gets: 0, deletes: 0 };
    asked[what]++;
    counts.set(name, asked);
  };
  return {
    name: store.name,
    get: (key, options) => (count(key, "gets"), store.get(key, options)),
    put: (key, object, condition) => (count(key, "puts"), store.put(key, object, condition)),
    delete: (key) => (count(key, "deletes"), store.delete(key)),
    list: (prefix) => store.list(prefix),
  };
}
