/** Reads past every cache, for callers that continue with a damaged object. */
import { type ObjectStore, StoreDamaged, type StoredObject } from "./object-store.ts";

type Reader = Pick<ObjectStore, "get">;

/** An object, a damaged one, or nothing, under a key. Throws `StoreUnavailable`. */
export async function readOrDamaged(store: Reader, key: string): Promise<StoredObject | StoreDamaged | undefined> {
  try {
    return await store.get(key, { fresh: true });
  } catch (error) {
    if (error instanceof StoreDamaged) return error;
    throw error;
  }
}

/** The same for callers that treat a damaged object like a missing one. */
export async function readIfWhole(store: Reader, key: string): Promise<StoredObject | undefined> {
  const found = await readOrDamaged(store, key);
  return found instanceof StoreDamaged ? undefined : found;
}
