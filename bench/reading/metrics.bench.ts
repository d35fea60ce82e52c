/**
 * The cost of metrics: requests a second of the shim with them against the shim without, each in a process of its own,
 * measured in turn (at least 0.97 ×). The page is read once a turn; Prometheus reads it each quarter of a minute. On a busy
 * machine these say little, so the CPU that counting adds to a response is measured in one process.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/object-store/open-store.ts";
import { PROCESS_KEY } from "../../src/resources/process/route.ts";
import { putAnswer } from "../../test/support/publish-answer.ts";
import { countingCost } from "../support/http/counting-cost.ts";
import { httpLoad } from "../support/http/http-load.ts";
import { median } from "../support/quantile.ts";

const TURNS = 21;
const TURN_MS = 1000;
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
    await putAnswer(store, PROCESS_KEY, { status: 200, headers, body });
    const { answer, counting } = await countingCost(store, PATH);
    console.log(
      `metrics (2 kB): counting adds ${counting.toFixed(3)} µs of CPU to a response's ${answer.toFixed(2)} µs without HTTP ` +
        `(${((answer + counting) / answer).toFixed(3)} ×)`,
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
  /** CPU of the server's process. */
  readonly cpuMicroseconds: number;
}

async function compare([plain, counted]: [Server, Server]): Promise<void> {
  const pairs: { plain: Figure; counted: Figure }[] = [];
  for (let turn = -1; turn < TURNS; turn++) {
    // In the other order each second time: a machine that slows down in the middle of a pair favours neither.
    const isPlainFirst = turn % 2 === 0;
    const first = await measure(isPlainFirst ? plain : counted);
    const second = await measure(isPlainFirst ? counted : plain);
    // The turn before the first warms both up.
    if (turn < 0) continue;
    pairs.push(isPlainFirst ? { plain: first, counted: second } : { plain: second, counted: first });
  }
  const speed = pairs.map((pair) => pair.counted.perSecond / pair.plain.perSecond).toSorted((a, b) => a - b);
  const cpu = median(pairs.map((pair) => pair.plain.cpuMicroseconds / pair.counted.cpuMicroseconds));
  const per = (kind: "plain" | "counted") => Math.round(median(pairs.map((pair) => pair[kind].perSecond)));
  console.log(
    `metrics (2 kB): ${median(speed).toFixed(3)} × the requests a second of the shim without (${per("counted")} to ` +
      `${per("plain")}; ${TURNS} turns of ${TURN_MS / 1000} s each, ${speed[0]?.toFixed(2)} to ` +
      `${speed.at(-1)?.toFixed(2)}; ${CONNECTIONS} connections; the page read each ${SCRAPE_MS / 1000} s); ` +
      `${cpu.toFixed(3)} × the requests a second of CPU`,
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
  const { requests, seconds } = await httpLoad({ port, path: PATH, connections: CONNECTIONS, milliseconds: TURN_MS });
  clearInterval(timer);
  await Promise.all(scrapes);
  return { perSecond: requests / seconds, cpuMicroseconds: ((await cpuTime(child)) - before) / requests };
}

/** User and system time (µs) of a server's process so far. */
async function cpuTime(child: ChildProcess): Promise<number> {
  const answered = once(child, "message");
  child.send("cpu");
  const [{ cpu }] = (await answered) as [{ cpu: NodeJS.CpuUsage }];
  return cpu.user + cpu.system;
}
