/**
 * Measures the CPU time that counting adds to a shim response, without HTTP. Batches with and without counting
 * alternate in one process.
 */
import type { ObjectStore } from "../../../../src/object-store/object-store.ts";
import { type ShimContext, shimContext } from "../../../../src/shim/context.ts";
import { countedReads, ShimCounts, storeReader, tickStore } from "../../../../src/shim/node/store-reader.ts";
import { respond } from "../../../../src/shim/respond.ts";
import { median } from "../quantile.ts";

const PAIRS = 150;
const WARM_UP = 10;
const TICKS = 300;
/** Requests per tick of the event loop. */
const REQUESTS_PER_TICK = 3;

export interface CountingCost {
  /** CPU time of a response without counting, µs. */
  readonly response: number;
  /** CPU time that counting adds: median of the pairwise differences, µs. */
  readonly counting: number;
}

export async function countingCost(store: ObjectStore, url: string): Promise<CountingCost> {
  const counts = new ShimCounts();
  const clocks = { now: () => Date.now(), monotonic: () => performance.now() };
  const plain = shimContext({ ...clocks, store: tickStore(storeReader(store)) });
  const counted = shimContext({
    ...clocks,
    store: tickStore(countedReads(storeReader(store), counts)),
    onResponse: (row, status) => counts.count(row, status),
  });
  const [responses, differences]: [number[], number[]] = [[], []];
  for (let pair = -WARM_UP; pair < PAIRS; pair++) {
    const isPlainFirst = pair % 2 === 0;
    const first = await batch(isPlainFirst ? plain : counted, url);
    const second = await batch(isPlainFirst ? counted : plain, url);
    if (pair < 0) continue;
    responses.push(isPlainFirst ? first : second);
    differences.push(isPlainFirst ? second - first : first - second);
  }
  return { response: median(responses), counting: median(differences) };
}

/** Mean CPU time of one response, µs. */
async function batch(context: ShimContext, url: string): Promise<number> {
  const before = process.cpuUsage();
  for (let tick = 0; tick < TICKS; tick++) {
    await Promise.all(Array.from({ length: REQUESTS_PER_TICK }, () => respond({ method: "GET", url }, context)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (TICKS * REQUESTS_PER_TICK);
}
