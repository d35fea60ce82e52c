/**
 * Measures requests per second of the compressed 30-day statistics, for clients that accept gzip and brotli. Compares
 * the shim with nginx (`gzip_static`, one worker), Fastify (@fastify/compress, computed from the same ledger) and bare
 * `node:http`. The bare server sends the shim's encoded bytes from memory.
 * All serve the same body in alternating runs; wrk uses about one CPU core itself.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { openStore } from "../../../src/object-store/open-store.ts";
import { statisticsKey } from "../../../src/resources/statistics/route.ts";
import { putResponse } from "../../support/publish-response.ts";
import { staticNginx } from "../support/fronts/plain-fronts.ts";
import { type WrkLoad, wrk } from "../support/fronts/wrk.ts";
import { TEN_YEARS, writeLargeLedger } from "../support/large-ledger.ts";
import { median } from "../support/quantile.ts";

const RUNS = 5;
const SECONDS = 2;
const CONNECTIONS = 16;
const RECEIPTS = 100_000;
const PATH = "/v2/public/stats?range=30d";
const ACCEPTED = ["gzip", "gzip, br"] as const;

interface Server {
  readonly name: string;
  readonly port: number;
  stop(): Promise<void>;
}

export async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  const servers: Server[] = [];
  try {
    const ledger = join(folder, "ledger.db");
    writeLargeLedger(ledger, { receipts: RECEIPTS, rounds: TEN_YEARS });
    const conventional = await forked("Fastify", "conventional-server.ts", [ledger, "compressed"]);
    servers.push(conventional);
    const response = await fetch(`http://127.0.0.1:${conventional.port}${PATH}`);
    const body = await response.text();
    await publish(join(folder, "public"), body, response.headers.get("etag") ?? "");
    servers.push(await forked("the shim", "served-response.ts", ["shim", join(folder, "public"), PATH]));
    writeFileSync(join(folder, "body.json"), body);
    writeFileSync(join(folder, "body.json.gz"), gzipSync(body));
    servers.push({ name: "nginx gzip_static", ...(await staticNginx(join(folder, "body.json"))) });
    console.log(`encoded: a body of ${body.length} bytes`);
    for (const accepted of ACCEPTED) {
      const args = ["bare", join(folder, "public"), PATH, accepted];
      const bare = await forked("bare node:http", "served-response.ts", args);
      try {
        await compare([...servers, bare], accepted, folder);
      } finally {
        await bare.stop();
      }
    }
  } finally {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true });
  }
}

async function publish(directory: string, body: string, etag: string): Promise<void> {
  const store = await openStore(directory, { write: true });
  const headers = { etag: etag.replace(/^W\//, ""), "cache-control": "public, max-age=0, must-revalidate" };
  await putResponse(store, statisticsKey("30d"), { status: 200, headers, body });
}

async function compare(servers: readonly Server[], accepted: string, folder: string): Promise<void> {
  const headers = { "Accept-Encoding": accepted };
  const figures = new Map<string, WrkLoad[]>(servers.map(({ name }) => [name, []]));
  for (let iteration = -1; iteration < RUNS; iteration++) {
    for (const { name, port } of servers) {
      const load = await wrk({ port, urls: [PATH], headers, folder, connections: CONNECTIONS, seconds: SECONDS });
      // Iteration -1 is the warm-up.
      if (iteration >= 0) figures.get(name)?.push(load);
    }
  }
  const of = (name: string, figure: (load: WrkLoad) => number) => median((figures.get(name) ?? []).map(figure));
  for (const { name, port } of servers) {
    const { coding, bytes } = await sent(port, accepted);
    const ratiosOf = (other: string) =>
      (figures.get(other) ?? []).map(
        (load, iteration) => load.perSecond / (figures.get(name)?.[iteration]?.perSecond ?? Number.NaN),
      );
    console.log(
      `encoded (${accepted}): ${name} sends ${bytes} bytes (${coding}), ${of(name, (load) => load.perSecond).toFixed(0)} ` +
        `per second, p99 ${of(name, (load) => load.p99).toFixed(1)} ms; the shim ${median(ratiosOf("the shim")).toFixed(2)} × ` +
        `it, bare node:http ${median(ratiosOf("bare node:http")).toFixed(2)} ×`,
    );
  }
}

async function sent(port: number, accepted: string): Promise<{ coding: string | null; bytes: number }> {
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`, { headers: { "Accept-Encoding": accepted } });
  const coding = response.headers.get("content-encoding");
  const length = response.headers.get("content-length");
  await response.arrayBuffer();
  return { coding, bytes: length === null ? Number.NaN : Number(length) };
}

async function forked(name: string, file: string, args: readonly string[]): Promise<Server> {
  const child: ChildProcess = fork(join(import.meta.dirname, "../support/http", file), args);
  const [{ port }] = (await once(child, "message")) as [{ port: number }];
  return {
    name,
    port,
    stop: async () => {
      const exited = once(child, "exit");
      child.disconnect();
      await exited;
    },
  };
}
