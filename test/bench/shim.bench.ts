/**
 * Measures requests per second of the shim over a directory against a bare `node:http` server that sends the same bytes
 * from memory. Separate processes run alternately.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../src/object-store/open-store.ts";
import { PROCESS_KEY } from "../../src/resources/process/route.ts";
import { statisticsKey } from "../../src/resources/statistics/route.ts";
import { putResponse } from "../support/publish-response.ts";
import { httpLoad } from "./http-load.ts";
import { median } from "./trees.ts";

const RUNS = 9;
/** V8 needs some seconds of requests until its code is as fast as it gets. */
const WARM_UPS = 3;
const RUN_MS = 2000;
const CONNECTIONS = 16;
const SERVER = new URL("./served-response.ts", import.meta.url).pathname;
const REVALIDATE = "public, max-age=0, must-revalidate";

interface Figure {
  readonly perSecond: number;
  /** CPU time of the server process per request. */
  readonly cpuMicroseconds: number;
}

export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  try {
    const store = await openStore(directory, { write: true });
    const cases = [
      { name: "process, 2 kB", key: PROCESS_KEY, path: "/v4/public/process", bytes: 2_000 },
      { name: "stats 30d, 135 kB", key: statisticsKey("30d"), path: "/v2/public/stats?range=30d", bytes: 135_000 },
    ];
    for (const { name, key, path, bytes } of cases) {
      const body = JSON.stringify({ revision: name, text: "x".repeat(bytes) });
      await putResponse(store, key, { status: 200, headers: { etag: '"r"', "cache-control": REVALIDATE }, body });
      await compare(name, directory, path);
    }
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function compare(name: string, directory: string, path: string): Promise<void> {
  const bare = await startServer("bare", directory, path);
  const shim = await startServer("shim", directory, path);
  try {
    const figures: { bare: Figure; shim: Figure }[] = [];
    for (let iteration = -WARM_UPS; iteration < RUNS; iteration++) {
      const pair = { bare: await measure(bare, path), shim: await measure(shim, path) };
      if (iteration >= 0) figures.push(pair);
    }
    const rates = (kind: "bare" | "shim") => Math.round(median(figures.map((pair) => pair[kind].perSecond)));
    const speed = median(figures.map((pair) => pair.shim.perSecond / pair.bare.perSecond));
    const cpu = median(figures.map((pair) => pair.shim.cpuMicroseconds / pair.bare.cpuMicroseconds));
    console.log(
      `shim (${name}): ${speed.toFixed(2)} × the requests per second of bare node:http (${rates("shim")} to ${rates("bare")}; ` +
        `${RUNS} runs of ${RUN_MS / 1000} s each, ${CONNECTIONS} connections); ${cpu.toFixed(2)} × the CPU time per request`,
    );
  } finally {
    bare.child.disconnect();
    shim.child.disconnect();
  }
}

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
}

async function startServer(kind: "bare" | "shim", directory: string, path: string): Promise<Server> {
  const child = fork(SERVER, [kind, directory, path]);
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  return { child, port };
}

async function measure({ child, port }: Server, path: string): Promise<Figure> {
  const before = await cpuTime(child);
  const { requests, seconds } = await httpLoad({
    port,
    path,
    connections: CONNECTIONS,
    milliseconds: RUN_MS,
  });
  return { perSecond: requests / seconds, cpuMicroseconds: ((await cpuTime(child)) - before) / requests };
}

/** User plus system time (µs) of a server process so far. */
async function cpuTime(child: ChildProcess): Promise<number> {
  const reply = once(child, "message");
  child.send("cpu");
  const [{ cpu }] = (await reply) as [{ cpu: NodeJS.CpuUsage }];
  return cpu.user + cpu.system;
}
