/** Ten thousand cycles, a new receipt in each, and what they took of memory. Arguments: folder, receipts. */
import { peakResidentKb } from "../peak-resident.ts";
import { firstPublishDone, keepHeapSmall } from "../../../bin/cli/publish/small-heap.ts";
import { measure, openSubject } from "./publisher-subject.ts";

const CYCLES = 10_000;
const [folder = "", receipts = ""] = process.argv.slice(2);

keepHeapSmall();
const subject = await openSubject(folder, Number(receipts));
firstPublishDone();
for (let cycle = 0; cycle < CYCLES; cycle++) {
  await measure(subject);
  // As a real store's response would: SQLite frees its memory for collected objects between ticks of the loop.
  await new Promise((resolve) => setImmediate(resolve));
}
subject.close();
const peak = Math.round(peakResidentKb() / 1024);
const now = Math.round(process.memoryUsage().rss / 2 ** 20);
console.log(`${CYCLES} cycles over ${receipts} receipts: ${now} MB resident at the end, ${peak} MB at most`);
