/** The cost of counting for a response of the shim's core, without HTTP around it: CPU in one process, batch beside batch. */
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import { respond } from "../../../src/shim/respond.ts";
import { type ShimContext, shimContext } from "../../../src/shim/context.ts";
import { countedReads, ShimCounts, storeReader, tickStore } from "../../../src/shim/node/store-reader.ts";
import { median } from "../quantile.ts";

const PAIRS = 150;
const WARM_UP = 10;
const TURNS = 300;
/** Requests that arrive in one turn of the loop. */
const AT_ONCE = 3;

export interface CountingCost {
  /** CPU of an uncounted response, µs. */
  readonly answer: number;
  /** The cost of counting, µs: the median of the pairs' differences. */
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
  const [answers, differences]: [number[], number[]] = [[], []];
  for (let pair = -WARM_UP; pair < PAIRS; pair++) {
    const isPlainFirst = pair % 2 === 0;
    const first = await batch(isPlainFirst ? plain : counted, url);
    const second = await batch(isPlainFirst ? counted : plain, url);
    if (pair < 0) continue;
    answers.push(isPlainFirst ? first : second);
    differences.push(isPlainFirst ? second - first : first - second);
  }
  return { answer: median(answers), counting: median(differences) };
}

/** CPU of one response, µs. */
async function batch(context: ShimContext, url: string): Promise<number> {
  const before = process.cpuUsage();
  for (let turn = 0; turn < TURNS; turn++) {
    await Promise.all(Array.from({ length: AT_ONCE }, () => respond({ method: "GET", url }, context)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / (TURNS * AT_ONCE);
}
