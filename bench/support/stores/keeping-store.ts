/** A store in memory that keeps everything and responds at once. */
import { type ObjectStore, StoreConflict, type StoredObject } from "../../../src/object-store/object-store.ts";

export function keepingStore(): ObjectStore {
  const kept = new Map<string, StoredObject>();
  let tag = 0;
  return {
    name: "memory",
    get: async (key) => kept.get(key),
    async put(key, object, condition) {
      const present = kept.get(key)?.tag;
      const holds =
        condition === undefined || ("ifAbsent" in condition ? present === undefined : present === condition.ifTag);
      if (!holds) throw new StoreConflict(key);
      const stored = { ...object, tag: String(++tag) };
      kept.set(key, stored);
      return stored.tag;
    },
    async delete(key) {
      kept.delete(key);
    },
    async *list(prefix) {
      yield* [...kept.keys()].filter((key) => key.startsWith(prefix)).toSorted();
    },
  };
}
