import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/object-store/open-store.ts";
import { storeReader, tickStore } from "../../src/shim/node/store-reader.ts";
import type { WorldStore } from "./scripts/script-world.ts";

/** A filesystem store in a new folder, with a reader as `serve` opens it, and a writer. It fails by being renamed. */
export async function directoryWorld(folder: string): Promise<WorldStore> {
  const [here, away] = [join(folder, "store"), join(folder, "away")];
  return {
    writer: await openStore(here, { write: true }),
    reader: tickStore(storeReader(await openStore(here, { write: false }))),
    fail: () => renameSync(here, away),
    recover: () => {
      if (existsSync(away)) renameSync(away, here);
    },
  };
}
