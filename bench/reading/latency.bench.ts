/**
 * Measures the time from a receipt's commit to the first response that contains it, at the shim and through Varnish.
 * Runs the built publisher and shim over a directory, with the publisher's one-second schedule. Commits shift through
 * all phases of that second.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { openStore } from "../../src/object-store/open-store.ts";
import { ingest } from "../../test/ledger/ingest.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { startDirectoryBucket } from "../../test/servers/directory-bucket.ts";
import { stop, until } from "../../test/support/processes.ts";
import { startVarnish } from "../../test/servers/varnish.ts";
import { setup as build } from "../../test/support/build.ts";
import { quantile } from "../support/quantile.ts";

const RECEIPTS = 200;
/** Interval between receipts, ms. */
const INTERVAL_MS = 1_000;
/** Added to each interval, so that receipts fall at every phase of the publisher's second. */
const PHASE_SHIFT_MS = 37;
const POLL_MS = 5;
const PATH = "/v1/public/telemetry";
const PROGRAM = join(import.meta.dirname, "../../bin/noonmark.js");

export async function run(): Promise<void> {
  build();
  const folder = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  const [store, path] = [join(folder, "public"), join(folder, "ledger.db")];
  const stops: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
  try {
    const ledger = openLedgerForIntake(path);
    stops.push(() => ledger.close());
    const commit = receipts((record) => ingest(ledger, [record]));
    commit();
    const genesis = Math.floor(Date.now() / 600_000) * 600 - 86_400;
    const publisher = noonmark(folder, ["publish", "--installation-id", "wheel-1", "--ledger", path, "--store", store, "--state", join(folder, "state"), "--genesis-timestamp", String(genesis)]);
    stops.push(() => stop(publisher, "SIGTERM"));
    await once(publisher.stderr ?? publisher, "data");
    const serve = noonmark(folder, ["serve", "--store", store, "--port", "0", "--fronts", "any"]);
    stops.push(() => stop(serve, "SIGTERM"));
    const [line] = (await once(createInterface({ input: serve.stdout ?? process.stdin }), "line")) as [string];
    const shim = Number(/:(\d+)$/.exec(line)?.[1]);
    const bucket = await startDirectoryBucket(await openStore(store, { write: false }));
    stops.push(() => bucket.stop());
    const varnish = await startVarnish({
      bucket: bucket.origin,
      shim: { protocol: "http", host: "127.0.0.1", port: shim },
    });
    stops.push(() => varnish.stop());
    await until("telemetry is published", async () => (await read(shim)).includes('"cumulativeWorkUnits"'));
    await measure(commit, { "at the shim": shim, "through Varnish": varnish.port });
  } finally {
    for (const end of stops.toReversed()) await end();
  }
}

async function measure(commit: () => string, ports: Readonly<Record<string, number>>): Promise<void> {
  const times = Object.keys(ports).map((): number[] => []);
  for (let receipt = 0; receipt < RECEIPTS; receipt++) {
    const work = commit();
    const committed = performance.now();
    const seen = Object.values(ports).map(async (port, index) => {
      while (!(await read(port)).includes(`"cumulativeWorkUnits":"${work}"`)) await wait(POLL_MS);
      times[index]?.push(performance.now() - committed);
    });
    await Promise.all(seen);
    await wait(Math.max(0, INTERVAL_MS + PHASE_SHIFT_MS - (performance.now() - committed)));
  }
  for (const [index, name] of Object.keys(ports).entries()) {
    const of = (q: number) => `${quantile(times[index] ?? [], q).toFixed(0)} ms`;
    console.log(`latency: readable ${name} ${of(0.5)} after commit, p99 ${of(0.99)}, maximum ${of(1)} (${RECEIPTS} receipts, polled every ${POLL_MS} ms)`);
  }
}

/** Each call commits one receipt and returns its cumulative work. */
function receipts(take: (record: Readonly<Record<string, unknown>>) => { readonly accepted: number }): () => string {
  const boot = { bootId: crypto.randomUUID(), counterEpoch: crypto.randomUUID() };
  let sequence = 0;
  return () => {
    sequence += 1;
    const now = new Date().toISOString();
    const cumulativeWorkUnits = String(sequence * 10);
    const { accepted } = take({
      type: "receipt",
      installationId: "wheel-1",
      telemetryId: crypto.randomUUID(),
      ...boot,
      sequence,
      observedAt: now,
      receivedAt: now,
      cumulativeWorkUnits,
      provenance: "hardware",
      softwareVersion: "1.4.2",
      coreStatus: "ACTIVE",
      rpmMilli: 43_000,
      speedMmPerSecond: 612,
      distanceMm: sequence * 1_000,
    });
    if (accepted !== 1) throw new Error(`receipt ${sequence} was not accepted`);
    return cumulativeWorkUnits;
  };
}

function noonmark(cwd: string, args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [PROGRAM, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
}

const agent = new Agent({ keepAlive: true });

function read(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: "127.0.0.1", port, path: PATH }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    });
    sent.on("error", reject).end();
  });
}
