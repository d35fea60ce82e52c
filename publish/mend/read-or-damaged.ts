import { type ObjectStore, StoreDamaged, type StoredObject } from "../../src/object-store/object-store.ts";

/** What stands under a key: an object, one that is no longer what was put, or nothing. Throws `StoreUnavailable`. */
export async function readOrDamaged(store: ObjectStore, key: string): Promise<StoredObject | StoreDamaged | undefined> {
  try {
    return await store.get(key, { fresh: true });
  } catch (error) {
    if (error instanceof StoreDamaged) return error;
    throw error;
  }
}
