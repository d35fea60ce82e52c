/** The store of the settings, and reads of its objects past every cache. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { STORE_MARK } from "../../src/object-store/filesystem/prepare.ts";
import { storeLocation } from "../../src/object-store/location.ts";
import { decodedAs, type ObjectStore, type StoredObject } from "../../src/object-store/object-store.ts";
import { openStore } from "../../src/object-store/open-store.ts";
import { decodeResponse, type StoredResponse } from "../../src/object-store/stored-response.ts";
import type { Settings } from "./settings/settings.ts";

/** Throws what `openStore` throws. */
export function openConfiguredStore(settings: Settings, options: { readonly write: boolean }): Promise<ObjectStore> {
  return openStore(settings.store, { ...settings, ...options });
}

/** The directory of the setting `store` if nothing can have been published there, because it is not a store yet. */
export function newDirectoryOf({ store }: Pick<Settings, "store">): string | undefined {
  const place = storeLocation(store);
  return place?.kind === "directory" && !existsSync(join(place.path, STORE_MARK)) ? place.path : undefined;
}

/** Undefined if there is no such object. Throws `StoreUnavailable`; `StoreDamaged` if it is no response. */
export function readResponse(store: ObjectStore, key: string): Promise<StoredResponse | undefined> {
  return read(store, key, decodeResponse);
}

/** The same for an object that is text. `parse` throws if it has another form. */
export function readParsed<T>(store: ObjectStore, key: string, parse: (text: string) => T): Promise<T | undefined> {
  return read(store, key, ({ body }) => parse(new TextDecoder().decode(body)));
}

async function read<T>(store: ObjectStore, key: string, decode: (object: StoredObject) => T): Promise<T | undefined> {
  const object = await store.get(key, { fresh: true });
  return object && decodedAs(key, object, decode);
}
