/**
 * Measures Noonmark's shim over a published directory against a conventional server (Fastify, better-sqlite3, 30 s
 * cache) over the same ledger. The ledger holds ten years of rounds; separate processes run alternately. Reports the
 * cold first response, requests per second, p99 and CPU seconds per 10,000 requests.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../../../src/object-store/open-store.ts";
import { PROCESS_KEY } from "../../../src/resources/process/route.ts";
import { statisticsKey } from "../../../src/resources/statistics/route.ts";
import { putResponse } from "../../support/publish-response.ts";
import { httpLoad, type Load } from "../support/http/http-load.ts";
import { TEN_YEARS, writeLargeLedger } from "../support/large-ledger.ts";

const RUNS = 5;
const RUN_MS = 2000;
const CONNECTIONS = 16;
const RECEIPTS = 100_000;
const PATHS = { "stats 30d": "/v2/public/stats?range=30d", process: "/v4/public/process" } as const;

type Kind = "noonmark" | "conventional";
interface Server {
  readonly child: ChildProcess;
  readonly port: number;
}
type Figure = Load & { readonly cpuSecondsPer10000: number };

export async function run(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  const ledger = join(directory, "ledger.db");
  try {
    writeLargeLedger(ledger, { receipts: RECEIPTS, rounds: TEN_YEARS });
    await publishConventionalBodies(ledger, join(directory, "public"));
    for (const [name, path] of Object.entries(PATHS)) await compare(name, path, ledger, join(directory, "public"));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Publishes the conventional server's bodies, so both servers send the same bytes. */
async function publishConventionalBodies(ledger: string, directory: string): Promise<void> {
  const store = await openStore(directory, { write: true });
  const server = await start("conventional", ledger, directory, "");
  for (const [key, path] of [
    [statisticsKey("30d"), PATHS["stats 30d"]],
    [PROCESS_KEY, PATHS.process],
  ] as const) {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    const headers = { etag: response.headers.get("etag") ?? "", "cache-control": "public, max-age=0, must-revalidate" };
    await putResponse(store, key, { status: response.status, headers, body: await response.text() });
  }
  server.child.disconnect();
}

async function compare(name: string, path: string, ledger: string, directory: string): Promise<void> {
  const figures: Record<Kind, Figure[]> = { noonmark: [], conventional: [] };
  const first: Record<Kind, number> = { noonmark: 0, conventional: 0 };
  const servers: [Kind, Server][] = [];
  for (const kind of ["conventional", "noonmark"] as const) {
    const server = await start(kind, ledger, directory, path);
    servers.push([kind, server]);
    const started = performance.now();
    await (await fetch(`http://127.0.0.1:${server.port}${path}`)).text();
    first[kind] = performance.now() - started;
  }
  for (let iteration = -1; iteration < RUNS; iteration += 1) {
    for (const [kind, server] of servers) {
      const figure = await measure(server, path);
      // Iteration -1 is the warm-up.
      if (iteration >= 0) figures[kind].push(figure);
    }
  }
  for (const [, { child }] of servers) child.disconnect();
  const of = (kind: Kind, value: (figure: Figure) => number) => median(figures[kind].map(value));
  const rate = (kind: Kind) => of(kind, ({ requests, seconds }) => requests / seconds);
  const pair = (show: (kind: Kind) => string) => `${show("noonmark")} to ${show("conventional")}`;
  console.log(
    `conventional (${name}): ${(rate("noonmark") / rate("conventional")).toFixed(2)} × the requests per second ` +
      `(${pair((kind) => rate(kind).toFixed(0))}); p99 ${pair((kind) => of(kind, ({ p99 }) => p99).toFixed(1))} ms; CPU s per 10,000 ` +
      `${pair((kind) => of(kind, ({ cpuSecondsPer10000 }) => cpuSecondsPer10000).toFixed(2))}; first response of a fresh process ` +
      `${pair((kind) => first[kind].toFixed(0))} ms (Noonmark to Fastify, same bytes; ${RUNS} runs of ${RUN_MS / 1000} s, ${CONNECTIONS} connections)`,
  );
}

async function start(kind: Kind, ledger: string, directory: string, path: string): Promise<Server> {
  const file = kind === "conventional" ? "conventional-server.ts" : "served-response.ts";
  const args = kind === "conventional" ? [ledger] : ["shim", directory, path];
  const child = fork(join(import.meta.dirname, "../support/http", file), args);
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  return { child, port };
}

async function measure({ child, port }: Server, path: string): Promise<Figure> {
  const before = await cpuMicroseconds(child);
  const load = await httpLoad({ port, path, connections: CONNECTIONS, milliseconds: RUN_MS });
  const cpu = (await cpuMicroseconds(child)) - before;
  return { ...load, cpuSecondsPer10000: ((cpu / load.requests) * 10_000) / 1e6 };
}

async function cpuMicroseconds(child: ChildProcess): Promise<number> {
  const reply = once(child, "message");
  child.send("cpu");
  const [{ cpu }] = (await reply) as [{ cpu: NodeJS.CpuUsage }];
  return cpu.user + cpu.system;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
