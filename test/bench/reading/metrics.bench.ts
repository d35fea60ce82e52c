/**
 * Measures the cost of metrics: requests per second of the shim with metrics against the shim without (at least 0.97
 * ×). Separate processes run alternately, and the metrics page is read during each run. Throughput is noisy on a busy
 * machine, so one process also measures the CPU time that counting adds to a response.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../../src/object-store/open-store.ts";
import { PROCESS_KEY } from "../../../src/resources/process/route.ts";
import { putResponse } from "../../support/publish-response.ts";
import { countingCost } from "../support/http/counting-cost.ts";
import { httpLoad } from "../support/http/http-load.ts";
import { median } from "../support/quantile.ts";

const RUNS = 21;
const RUN_MS = 1000;
const SCRAPE_MS = 600;
const CONNECTIONS = 16;
const PATH = "/v4/public/process";
const SERVER = new URL("../support/http/served-response.ts", import.meta.url).pathname;

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
  readonly metrics?: string;
}

export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  const servers: Server[] = [];
  try {
    const store = await openStore(directory, { write: true });
    const headers = { etag: '"r"', "cache-control": "public, max-age=0, must-revalidate" };
    const body = JSON.stringify({ revision: "r", text: "x".repeat(2_000) });
    await putResponse(store, PROCESS_KEY, { status: 200, headers, body });
    const { response, counting } = await countingCost(store, PATH);
    console.log(
      `metrics (2 kB): counting adds ${counting.toFixed(3)} µs of CPU to a response of ${response.toFixed(2)} µs, without HTTP ` +
        `(${((response + counting) / response).toFixed(3)} ×)`,
    );
    for (const kind of ["shim", "counted"]) servers.push(await start(kind, directory));
    await compare(servers as [Server, Server]);
  } finally {
    for (const { child } of servers) child.disconnect();
    rmSync(directory, { recursive: true });
  }
}

interface Figure {
  readonly perSecond: number;
  /** CPU time of the server process per request. */
  readonly cpuMicroseconds: number;
}

async function compare([plain, counted]: [Server, Server]): Promise<void> {
  const pairs: { plain: Figure; counted: Figure }[] = [];
  for (let iteration = -1; iteration < RUNS; iteration++) {
    // Swap the order each time, so that a drift in machine speed favours neither.
    const isPlainFirst = iteration % 2 === 0;
    const first = await measure(isPlainFirst ? plain : counted);
    const second = await measure(isPlainFirst ? counted : plain);
    // Iteration -1 is the warm-up.
    if (iteration < 0) continue;
    pairs.push(isPlainFirst ? { plain: first, counted: second } : { plain: second, counted: first });
  }
  const speed = pairs.map((pair) => pair.counted.perSecond / pair.plain.perSecond).toSorted((a, b) => a - b);
  const cpu = median(pairs.map((pair) => pair.plain.cpuMicroseconds / pair.counted.cpuMicroseconds));
  const per = (kind: "plain" | "counted") => Math.round(median(pairs.map((pair) => pair[kind].perSecond)));
  console.log(
    `metrics (2 kB): ${median(speed).toFixed(3)} × the requests per second of the shim without metrics (${per("counted")} to ` +
      `${per("plain")}; ${RUNS} runs of ${RUN_MS / 1000} s each, ratios ${speed[0]?.toFixed(2)} to ` +
      `${speed.at(-1)?.toFixed(2)}; ${CONNECTIONS} connections; metrics read every ${SCRAPE_MS / 1000} s); ` +
      `${cpu.toFixed(3)} × the requests per CPU second`,
  );
}

async function start(kind: string, directory: string): Promise<Server> {
  const child = fork(SERVER, [kind, directory, PATH]);
  const [served] = (await once(child, "message")) as [{ port: number; metrics?: string }];
  return { child, ...served };
}

async function measure({ child, port, metrics }: Server): Promise<Figure> {
  const before = await cpuTime(child);
  const scrapes: Promise<unknown>[] = [];
  const scrape = () => metrics !== undefined && scrapes.push(fetch(metrics).then((page) => page.text()));
  const timer = setInterval(scrape, SCRAPE_MS);
  const { requests, seconds } = await httpLoad({ port, path: PATH, connections: CONNECTIONS, milliseconds: RUN_MS });
  clearInterval(timer);
  await Promise.all(scrapes);
  return { perSecond: requests / seconds, cpuMicroseconds: ((await cpuTime(child)) - before) / requests };
}

/** User plus system time (µs) of a server process so far. */
async function cpuTime(child: ChildProcess): Promise<number> {
  const reply = once(child, "message");
  child.send("cpu");
  const [{ cpu }] = (await reply) as [{ cpu: NodeJS.CpuUsage }];
  return cpu.user + cpu.system;
}
