/** Reads past every cache, for whoever goes on where an object is damaged. */
import { type ObjectStore, StoreDamaged, type StoredObject } from "./object-store.ts";

type Reader = Pick<ObjectStore, "get">;

/** What stands under a key: an object, one that is no longer what was put, or nothing. Throws `StoreUnavailable`. */
export async function readOrDamaged(store: Reader, key: string): Promise<StoredObject | StoreDamaged | undefined> {
  try {
    return await store.get(key, { fresh: true });
  } catch (error) {
    if (error instanceof StoreDamaged) return error;
    throw error;
  }
}

/** The same where a damaged object says as much as one that is gone. */
export async function readIfWhole(store: Reader, key: string): Promise<StoredObject | undefined> {
  const found = await readOrDamaged(store, key);
  return found instanceof StoreDamaged ? undefined : found;
}
