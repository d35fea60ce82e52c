/**
 * Measures requests per second of two processes of `serve --reuse-port` against one, for 2 kB over one port, in alternating
 * runs. The client wrk shares the machine and nothing is pinned, so on two cores wrk takes time from the second process.
 * Therefore the bench also reports CPU time per request, and the speed-up if every process had its own core.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openStore } from "../../../src/object-store/open-store.ts";
import { PROCESS_KEY } from "../../../src/resources/process/route.ts";
import { setup as build } from "../../support/build.ts";
import { PROGRAM } from "../../support/cli.ts";
import { putResponse } from "../../support/publish-response.ts";
import { wrk } from "../support/fronts/wrk.ts";
import { median } from "../support/quantile.ts";

const RUNS = 7;
const SECONDS = 2;
const CONNECTIONS = 32;
const PROCESSES = 2;
const PATH = "/v4/public/process";
/** µs per clock tick in `/proc/PID/stat` (USER_HZ is 100 on Linux). */
const TICK_US = 10_000;

interface Figure {
  readonly perSecond: number;
  /** CPU time (µs) per request, summed over the server's processes. */
  readonly cpu: number;
  /** CPU time (µs) per request of wrk. */
  readonly loadCpu: number;
}

export async function run(): Promise<void> {
  build();
  const folder = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  const children: ChildProcess[] = [];
  const start = async (port: number, ...flags: string[]): Promise<Serving> => {
    const args = [PROGRAM, "serve", "--store", join(folder, "public"), "--port", String(port), ...flags];
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
    children.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const listening = /http:\/\/127\.0\.0\.1:(\d+)/.exec((await lines.next()).value ?? "")?.[1];
    if (child.pid === undefined || listening === undefined) throw new Error("serve did not start");
    return { port: Number(listening), pids: [child.pid] };
  };
  try {
    const store = await openStore(join(folder, "public"), { write: true });
    const headers = { etag: '"r"', "cache-control": "public, max-age=0, must-revalidate" };
    const body = JSON.stringify({ revision: "r", text: "x".repeat(2_000) });
    await putResponse(store, PROCESS_KEY, { status: 200, headers, body });
    const one = await start(0);
    const first = await start(0, "--reuse-port");
    const second = await start(first.port, "--reuse-port");
    await compare(one, { port: first.port, pids: [...first.pids, ...second.pids] }, folder);
  } finally {
    for (const child of children) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    rmSync(folder, { recursive: true });
  }
}

interface Serving {
  readonly port: number;
  readonly pids: readonly number[];
}

async function compare(one: Serving, several: Serving, folder: string): Promise<void> {
  const figures: { one: Figure; several: Figure }[] = [];
  for (let iteration = -1; iteration < RUNS; iteration++) {
    const pair = { one: await measure(one, folder), several: await measure(several, folder) };
    // Iteration -1 is the warm-up.
    if (iteration >= 0) figures.push(pair);
  }
  const of = (kind: "one" | "several", figure: keyof Figure) => median(figures.map((pair) => pair[kind][figure]));
  const speed = median(figures.map((pair) => pair.several.perSecond / pair.one.perSecond));
  const scale = median(figures.map((pair) => (PROCESSES * pair.one.cpu) / pair.several.cpu));
  const cpu = (kind: "one" | "several") => `${of(kind, "cpu").toFixed(1)} µs (wrk ${of(kind, "loadCpu").toFixed(1)})`;
  console.log(
    `processes (2 kB): ${PROCESSES} give ${speed.toFixed(2)} × the requests per second of one process ` +
      `(${of("several", "perSecond").toFixed(0)} to ${of("one", "perSecond").toFixed(0)}; ${RUNS} runs of ${SECONDS} s, ` +
      `${CONNECTIONS} connections, wrk on the same ${availableParallelism()} cores); CPU time per request ` +
      `${cpu("several")} to ${cpu("one")}: ${scale.toFixed(2)} × if each process had its own core`,
  );
}

async function measure({ port, pids }: Serving, folder: string): Promise<Figure> {
  const [before, loadBefore] = [cpuOf(pids), cpuOfChildren()];
  const { perSecond } = await wrk({ port, urls: [PATH], folder, connections: CONNECTIONS, seconds: SECONDS });
  const requests = perSecond * SECONDS;
  return { perSecond, cpu: (cpuOf(pids) - before) / requests, loadCpu: (cpuOfChildren() - loadBefore) / requests };
}

/** User plus system time of the processes so far, µs. */
function cpuOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticks(String(pid), 11), 0) * TICK_US;
}

/** User plus system time of this process's exited children, µs. */
function cpuOfChildren(): number {
  return ticks("self", 13) * TICK_US;
}

/** Sum of two neighbouring fields of `/proc/PID/stat`. Field 0 is the one after the command name. */
function ticks(pid: string, field: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return Number(fields[field]) + Number(fields[field + 1]);
}
