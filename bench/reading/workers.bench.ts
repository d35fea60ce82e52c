/**
 * `serve --workers 2` beside one process: requests a second of 2 kB over one port, in turn. The load, wrk, shares the
 * machine, and nothing is pinned: on two processors it takes the second worker's part. So the bench also prints CPU a
 * request, of the workers and of the load, and the result of both processors for workers alone.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { openStore } from "../../src/object-store/open-store.ts";
import { PROCESS_KEY } from "../../src/resources/process/route.ts";
import { setup as build } from "../../test/support/build.ts";
import { PROGRAM } from "../../test/support/cli.ts";
import { putAnswer } from "../../test/support/publish-answer.ts";
import { wrk } from "../support/fronts/wrk.ts";
import { median } from "../support/quantile.ts";

const TURNS = 7;
const SECONDS = 2;
const CONNECTIONS = 32;
const WORKERS = 2;
const PATH = "/v4/public/process";
/** From `/proc/PID/stat`, µs (USER_HZ is 100 wherever Linux runs). */
const TICK = 10_000;

interface Figure {
  readonly perSecond: number;
  /** All processes of the server, and the load; µs a request. */
  readonly cpu: number;
  readonly loadCpu: number;
}

export async function run(): Promise<void> {
  build();
  const folder = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  const servers: Serving[] = [];
  try {
    const store = await openStore(join(folder, "public"), { write: true });
    const headers = { etag: '"r"', "cache-control": "public, max-age=0, must-revalidate" };
    const body = JSON.stringify({ revision: "r", text: "x".repeat(2_000) });
    await putAnswer(store, PROCESS_KEY, { status: 200, headers, body });
    const one = await serving(folder, 1);
    servers.push(one);
    const several = await serving(folder, WORKERS);
    servers.push(several);
    await compare(one, several, folder);
  } finally {
    for (const { child } of servers) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    rmSync(folder, { recursive: true });
  }
}

interface Serving {
  readonly child: ChildProcess;
  readonly port: number;
  /** The processes that serve, and the one that hands connections out. */
  readonly pids: readonly number[];
}

async function serving(folder: string, workers: number): Promise<Serving> {
  const args = [PROGRAM, "serve", "--store", join(folder, "public"), "--port", "0", "--workers", String(workers)];
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const log = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec((await lines.next()).value ?? "")?.[1];
  if (child.pid === undefined || port === undefined) throw new Error("serve did not start");
  const pids = [child.pid];
  // One process alone is no worker.
  for (let index = 0; index < (workers > 1 ? workers : 0); index++) {
    const { pid } = JSON.parse((await log.next()).value ?? "{}") as { pid?: number };
    if (pid === undefined) throw new Error("a worker did not start");
    pids.push(pid);
  }
  return { child, port: Number(port), pids };
}

async function compare(one: Serving, several: Serving, folder: string): Promise<void> {
  const figures: { one: Figure; several: Figure }[] = [];
  for (let turn = -1; turn < TURNS; turn++) {
    const pair = { one: await measure(one, folder), several: await measure(several, folder) };
    // The turn before the first warms both up.
    if (turn >= 0) figures.push(pair);
  }
  const of = (kind: "one" | "several", figure: keyof Figure) => median(figures.map((pair) => pair[kind][figure]));
  const speed = median(figures.map((pair) => pair.several.perSecond / pair.one.perSecond));
  const scale = median(figures.map((pair) => (WORKERS * pair.one.cpu) / pair.several.cpu));
  const cpu = (kind: "one" | "several") => `${of(kind, "cpu").toFixed(1)} µs (the load's ${of(kind, "loadCpu").toFixed(1)})`;
  console.log(
    `workers (2 kB): ${WORKERS} give ${speed.toFixed(2)} × the requests a second of one process ` +
      `(${of("several", "perSecond").toFixed(0)} to ${of("one", "perSecond").toFixed(0)}; ${TURNS} turns of ${SECONDS} s, ` +
      `${CONNECTIONS} connections, the load on the same ${availableParallelism()} processors); CPU a request ` +
      `${cpu("several")} to ${cpu("one")}: ${scale.toFixed(2)} × where each worker has a processor of its own`,
  );
}

async function measure({ port, pids }: Serving, folder: string): Promise<Figure> {
  const [before, loadBefore] = [cpuOf(pids), cpuOfChildren()];
  const { perSecond } = await wrk({ port, urls: [PATH], folder, connections: CONNECTIONS, seconds: SECONDS });
  const requests = perSecond * SECONDS;
  return { perSecond, cpu: (cpuOf(pids) - before) / requests, loadCpu: (cpuOfChildren() - loadBefore) / requests };
}

/** User and system time of processes so far, µs. */
function cpuOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticks(String(pid), 11), 0) * TICK;
}

/** The same of this process's children that have ended. */
function cpuOfChildren(): number {
  return ticks("self", 13) * TICK;
}

/** Two fields of a process's `stat`, summed; numbered from the one behind its name. */
function ticks(pid: string, field: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return Number(fields[field]) + Number(fields[field + 1]);
}
