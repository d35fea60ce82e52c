import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { openStore } from "../../src/object-store/open-store.ts";
import type { Settings } from "./settings/settings.ts";

/** The store of the settings; throws what `openStore` throws. */
export function openConfiguredStore(settings: Settings, options: { readonly write: boolean }): Promise<ObjectStore> {
  return openStore(settings.store, {
    ...options,
    singleWriter: settings.singleWriter,
    s3: {
      provider: settings.s3Provider,
      endpoint: settings.s3Endpoint,
      region: settings.s3Region,
      pathStyle: settings.s3PathStyle,
    },
  });
}
