/** A store whose gets and puts are counted, the lease's and what an operator reads aside. */
import { PRIVATE_STATUS_KEY, STATUS_KEY } from "../../../src/http/keys.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";

export interface CountedStore extends ObjectStore {
  /** In their order. */
  readonly asked: ("get" | "put")[];
}

export function countedStore(store: ObjectStore): CountedStore {
  const asked: ("get" | "put")[] = [];
  const count = (key: string, what: "get" | "put") => {
    if (key !== STATUS_KEY && key !== PRIVATE_STATUS_KEY) asked.push(what);
  };
  return {
    name: store.name,
    asked,
    get(key, options) {
      count(key, "get");
      return store.get(key, options);
    },
    put(key, object, condition) {
      count(key, "put");
      return store.put(key, object, condition);
    },
    delete: (key) => store.delete(key),
    list: (prefix) => store.list(prefix),
  };
}
