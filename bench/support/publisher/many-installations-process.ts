/**
 * The first publish of many installations, in a process of its own for its memory. Arguments: a folder with the ledger,
 * and `memory` or `directory`.
 */
import { join } from "node:path";
import { keepHeapSmall } from "../../../bin/cli/publish/small-heap.ts";
import { FilesystemStore } from "../../../src/object-store/filesystem/filesystem-store.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { watched } from "../loop-watch.ts";
import { forgetfulStore } from "../stores/forgetful-store.ts";
import { openMany, RECEIVED } from "./many-installations.ts";

const [folder = "", kind] = process.argv.slice(2);
keepHeapSmall();
const store: ObjectStore = kind === "directory" ? new FilesystemStore(join(folder, "store"), { write: true }) : forgetfulStore();
const { publisher, stop } = await openMany(folder, { state: "first", store });
let objects = 0;
const seen = await watched(async () => {
  const { rows } = await publisher.cycle(RECEIVED + 1000);
  objects = rows.filter(({ action }) => action === "created").length;
});
await stop();
const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
console.log(JSON.stringify({ ...seen, objects, megabytes }));
