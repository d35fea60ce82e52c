/**
 * A separate process that serves the scripts' world from a directory, as a bucket and as the shim. Sends their ports.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../../src/object-store/open-store.ts";
import type { LifetimeHeader } from "../../../src/shim/context.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { startServer } from "../../../src/shim/node/node-server.ts";
import { storeReader, tickStore } from "../../../src/shim/node/store-reader.ts";
import { putLiveWorld } from "../../support/world.ts";
import { startDirectoryBucket } from "../directory-bucket.ts";

const directory = mkdtempSync(join(tmpdir(), "noonmark-hostile-"));
process.on("exit", () => rmSync(directory, { recursive: true }));
process.on("disconnect", () => process.exit());

const store = await openStore(directory, { write: true });
await putLiveWorld(store);
const bucket = await startDirectoryBucket(store);
const monotonic = () => performance.now();
const serve = (lifetimeHeader: LifetimeHeader) => {
  const context = { store: tickStore(storeReader(store)), now: Date.now, monotonic, lifetimeHeader };
  return startServer(shimContext(context), {
    host: "127.0.0.1",
    port: 0,
    wallClock: Date.now,
    defect: (error) => {
      throw error;
    },
  });
};
const [shim, shared] = [await serve("cdn-cache-control"), await serve("cache-control")];
process.send?.({ bucketPort: bucket.origin.port, shimPort: shim.port, sharedPort: shared.port });
