/** A store in memory that keeps everything and answers at once; what it is asked for is counted. */
import { type ObjectStore, StoreConflict, type StoredObject } from "../../../src/object-store/object-store.ts";

export interface KeepingStore extends ObjectStore {
  /** Of gets and puts, the lease's aside, in their order. */
  readonly asked: ("get" | "put")[];
  size(key: string): number;
}

export function keepingStore(): KeepingStore {
  const kept = new Map<string, StoredObject>();
  const asked: ("get" | "put")[] = [];
  const count = (key: string, what: "get" | "put") => {
    if (key !== "status.json") asked.push(what);
  };
  let tag = 0;
  return {
    name: "memory",
    asked,
    size: (key) => kept.get(key)?.body.length ?? 0,
    async get(key) {
      count(key, "get");
      return kept.get(key);
    },
    async put(key, object, condition) {
      count(key, "put");
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
