/** A process that alternates plain and conditional puts until it is killed. */
import { FilesystemStore } from "../../../src/object-store/filesystem/filesystem-store.ts";
import { versioned } from "../samples.ts";

const [directory = ""] = process.argv.slice(2);
const store = new FilesystemStore(directory, { write: true });
process.send?.("ready");
for (let version = 1; ; version++) {
  const current = await store.get("k");
  await store.put(
    "k",
    versioned(version),
    version % 2 === 0 && current !== undefined ? { ifTag: current.tag } : undefined,
  );
}
