/** Runs 10,000 cycles with one new receipt each, and prints their memory use. Arguments: folder, number of receipts. */

import { firstPublishDone, keepHeapSmall } from "../../../../bin/cli/small-heap.ts";
import { peakResidentKb } from "../peak-resident.ts";
import { measure, openSubject } from "./publisher-subject.ts";

const CYCLES = 10_000;
const [folder = "", receipts = ""] = process.argv.slice(2);

keepHeapSmall();
const subject = await openSubject(folder, Number(receipts));
firstPublishDone();
for (let cycle = 0; cycle < CYCLES; cycle++) {
  await measure(subject);
  // Yield as a real store's I/O would: SQLite frees collected statements between event-loop iterations.
  await new Promise((resolve) => setImmediate(resolve));
}
subject.close();
const peak = Math.round(peakResidentKb() / 1024);
const now = Math.round(process.memoryUsage().rss / 2 ** 20);
console.log(`${CYCLES} cycles over ${receipts} receipts: ${now} MB resident at the end, ${peak} MB peak`);
