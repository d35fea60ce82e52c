/** Opens the store of the settings, and reads its objects directly, not through caches. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import type { StateDirectory } from "../../publish/state-directory.ts";
import { checkReadable, noStore, STORE_MARK } from "../../src/object-store/filesystem/prepare.ts";
import { storeLocation } from "../../src/object-store/location.ts";
import { decodedAs, type ObjectStore, type StoredObject } from "../../src/object-store/object-store.ts";
import { openStore } from "../../src/object-store/open-store.ts";
import { decodeResponse, type StoredResponse } from "../../src/object-store/stored-response.ts";
import { formatFailure } from "../../src/values/failure.ts";
import type { Settings } from "./settings/settings.ts";

/** Throws as `openStore` does. */
export function openConfiguredStore(settings: Settings, options: { readonly write: boolean }): Promise<ObjectStore> {
  return openStore(settings.store, { ...settings, ...options });
}

/**
 * Opens the store of a publisher with this state. A directory that it published to and that is no store any more is not
 * made again, because its disk may not be mounted. Throws as `openStore` does, and then `StoreUnavailable`.
 */
export async function openPublishedStore(settings: Settings, state: StateDirectory): Promise<ObjectStore> {
  const directory = newDirectoryOf(settings);
  if (directory !== undefined) checkReadable(resolve(directory));
  if (directory !== undefined && state.store === resolve(directory)) throw noStore(resolve(directory));
  return openConfiguredStore(settings, { write: true });
}

/** Returns the directory of the setting `store` if it is not a store yet, so nothing can be published there. */
export function newDirectoryOf({ store }: Pick<Settings, "store">): string | undefined {
  const place = storeLocation(store);
  return place?.kind === "directory" && !existsSync(join(place.path, STORE_MARK)) ? place.path : undefined;
}

/** Reads a response; undefined if there is none. Throws `StoreUnavailable`; `StoreDamaged` if it is not one. */
export function readResponse(store: ObjectStore, key: string): Promise<StoredResponse | undefined> {
  return read(store, key, decodeResponse);
}

async function read<T>(store: ObjectStore, key: string, decode: (object: StoredObject) => T): Promise<T | undefined> {
  const object = await store.get(key, { fresh: true });
  try {
    return object && decodedAs(key, object, decode);
  } catch (error) {
    throw formatFailure(error);
  }
}
