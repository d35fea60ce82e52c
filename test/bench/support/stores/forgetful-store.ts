/** A store that responds at once and discards tiles, so that they cost neither time nor memory. */
import type { ObjectStore, StoredObject } from "../../../../src/object-store/object-store.ts";

/** Appends the key of each put to `puts`. */
export function forgetfulStore(puts: string[] = []): ObjectStore {
  const kept = new Map<string, StoredObject>();
  let tag = 0;
  return {
    name: "nowhere",
    get: async (key) => kept.get(key),
    async put(key, object) {
      puts.push(key);
      const stored = { ...object, tag: String(++tag) };
      if (!/\/(?:observations|tiles)\//.test(key)) kept.set(key, stored);
      return stored.tag;
    },
    async delete() {},
    async *list() {},
  };
}
