import type { ObjectStore } from "../../object-store/object-store.ts";
import type { StoreReader } from "../recent.ts";

/** A store as the shim reads it: synchronously if the store can. */
export function storeReader(store: Pick<ObjectStore, "get" | "getNow">): StoreReader {
  const getNow = store.getNow?.bind(store);
  return getNow === undefined ? store : { get: getNow };
}
