/**
 * Runs the first publish of many installations in a separate process, to measure its memory. Argument: a folder with
 * the ledger.
 */

import { keepHeapSmall } from "../../../../bin/cli/small-heap.ts";
import { watchLoop } from "../loop-watch.ts";
import { peakResidentKb } from "../peak-resident.ts";
import { forgetfulStore } from "../stores/forgetful-store.ts";
import { openMany, RECEIVED } from "./many-installations.ts";

const [folder = ""] = process.argv.slice(2);
keepHeapSmall();
const { publisher, stop } = await openMany(folder, { state: "first", store: forgetfulStore() });
let objects = 0;
const times = await watchLoop(async () => {
  const { rows } = await publisher.cycle(RECEIVED + 1000);
  objects = rows.filter(({ action }) => action === "created").length;
});
await stop();
const megabytes = Math.round(peakResidentKb() / 1024);
console.log(JSON.stringify({ ...times, objects, megabytes }));
