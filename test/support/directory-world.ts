import { existsSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { openStore } from "../../src/object-store/open-store.ts";
import { storeReader, tickStore } from "../../src/shim/node/store-reader.ts";
import type { WorldStore } from "./scripts/script-world.ts";

/**
 * A filesystem store with a reader as `serve` opens it, and a writer. It fails by being renamed, and is removed after
 * the test.
 */
export async function directoryWorld(): Promise<WorldStore> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-scripts-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
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
