/** The first publish of many installations, in a process of its own for its memory. Argument: a folder with the ledger. */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { keepHeapSmall } from "../../../bin/cli/publish/small-heap.ts";
import { forgetfulStore } from "../stores/forgetful-store.ts";
import { openMany, RECEIVED } from "./many-installations.ts";

const [folder = ""] = process.argv.slice(2);
keepHeapSmall();
const puts: string[] = [];
const { publisher, stop } = await openMany(folder, "first", forgetfulStore(puts));
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
// Its first turn is where it counts from.
await new Promise((resolve) => setTimeout(resolve, 5));
const started = performance.now();
await publisher.cycle(RECEIVED + 1000);
const milliseconds = performance.now() - started;
// One turn more, so that a cycle that never let go is seen.
await new Promise((resolve) => setTimeout(resolve, 5));
delay.disable();
await stop();
const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
console.log(JSON.stringify({ milliseconds, objects: puts.length, megabytes, longestBlockMs: delay.max / 1e6 }));
