import type { StoredObject } from "../../object-store/object-store.ts";
import type { MaybePromise } from "../maybe-promise.ts";
import type { StoreReader } from "../recent.ts";

/**
 * Requests that Node hands over in one tick of its loop share one read of an object. All of them had arrived before the read
 * began, so that none misses a put it could know of. For stores with quick reads: a slow read is not shared beyond its tick.
 */
export function tickStore(store: StoreReader): StoreReader {
  let reads: Map<string, MaybePromise<StoredObject | undefined>> | undefined;
  return {
    get(key, options) {
      if (options?.fresh === true) return store.get(key, options);
      if (reads === undefined) {
        reads = new Map();
        setImmediate(() => {
          reads = undefined;
        });
      }
      const known = reads.get(key);
      if (known !== undefined || reads.has(key)) return known;
      const read = store.get(key);
      reads.set(key, read);
      return read;
    },
  };
}
