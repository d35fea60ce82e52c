/** The store that a dry run reads: an empty one, if nothing was ever published into the directory. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { STORE_MARK } from "../../../src/object-store/filesystem/prepare.ts";
import { storeLocation } from "../../../src/object-store/location.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { openConfiguredStore } from "../open-configured-store.ts";
import type { Settings } from "../settings/settings.ts";

/** `isNew`: the first publish will make it. */
export async function storeOfDryRun(settings: Settings): Promise<{ store: ObjectStore; isNew: boolean }> {
  const store = await openConfiguredStore(settings, { write: false });
  const place = storeLocation(settings.store);
  const isNew = place?.kind === "directory" && !existsSync(join(place.path, STORE_MARK));
  return { store: isNew ? emptyStore(store.name) : store, isNew };
}

function emptyStore(name: string): ObjectStore {
  const refuse = () => {
    throw new TypeError(`${name} is not there: a dry run puts nothing`);
  };
  return { name, get: async () => undefined, put: refuse, delete: refuse, async *list() {} };
}
