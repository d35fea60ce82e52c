/**
 * Measures the routes by id at 10,000 installations: requests a second and p99 of random ids, beside telemetry of the
 * configured installation, which needs no index. Node's shim over a directory has 16 connections; the Worker on
 * workerd, whose R2 is an emulation, has two.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { eachLimited } from "../../../publish/each-limited.ts";
import { FilesystemStore } from "../../../src/object-store/filesystem/filesystem-store.ts";
import { startWorker } from "../../servers/worker.ts";
import { setup as build } from "../../support/build.ts";
import { stop } from "../../support/processes.ts";
import { wrk } from "../support/fronts/wrk.ts";
import { openMany, RECEIVED, writeManyInstallations } from "../support/publisher/many-installations.ts";
import { median } from "../support/quantile.ts";

const INSTALLATIONS = 10_000;
/** Different ids that are requested. */
const IDS = Number(process.env.NOONTEST_BENCH_IDS ?? 2_000);
const TURNS = 7;
const SECONDS = 3;
const PLAIN = ["/v1/public/telemetry"];
const PROGRAM = join(import.meta.dirname, "../../../bin/noonmark.js");

export async function run(): Promise<void> {
  build();
  const folder = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  const stops: (() => unknown)[] = [() => rmSync(folder, { recursive: true })];
  try {
    writeManyInstallations(join(folder, "ledger.db"), INSTALLATIONS);
    const store = new FilesystemStore(join(folder, "store"), { write: true });
    const { publisher, stop: stopPublisher } = await openMany(folder, { state: "state", store });
    await publisher.cycle(RECEIVED + 1000);
    await stopPublisher();
    const serve = [
      "serve",
      "--store",
      join(folder, "store"),
      "--port",
      "0",
      "--at",
      new Date(RECEIVED + 2000).toISOString(),
    ];
    const shim = spawn(process.execPath, [PROGRAM, ...serve], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
    stops.push(() => stop(shim, "SIGTERM"));
    const [line] = (await once(createInterface({ input: shim.stdout }), "line")) as [string];
    await measure("Node", folder, 16, Number(/127\.0\.0\.1:(\d+)/.exec(line)?.[1]));
    const worker = await startWorker();
    stops.push(() => worker.stop());
    // No request reads observations, and each put takes milliseconds there.
    const keys: string[] = [];
    for await (const key of store.list("")) if (!key.includes("observations")) keys.push(key);
    await eachLimited(keys, 32, async (key) => {
      const object = await store.get(key);
      if (object !== undefined) await worker.store.put(key, object);
    });
    await measure("workerd", folder, 2, worker.port);
  } finally {
    for (const end of stops.toReversed()) await end();
  }
}

async function measure(name: string, folder: string, connections: number, port: number): Promise<void> {
  const byId = Array.from(
    { length: IDS },
    (_, n) => `/v1/public/installations/wheel-${((n * 7919) % INSTALLATIONS) + 1}/telemetry`,
  );
  const load = (urls: readonly string[]) => wrk({ port, urls, connections, seconds: SECONDS, folder });
  await load(byId);
  const turns: { byId: Awaited<ReturnType<typeof wrk>>; plain: Awaited<ReturnType<typeof wrk>> }[] = [];
  for (let turn = 0; turn < TURNS; turn++) turns.push({ byId: await load(byId), plain: await load(PLAIN) });
  const text = (of: "byId" | "plain") => {
    const rate = median(turns.map((turn) => turn[of].perSecond)).toFixed(0);
    return `${rate} requests a second, p99 ${median(turns.map((turn) => turn[of].p99)).toFixed(2)} ms`;
  };
  console.log(`by-id: ${name}, ${INSTALLATIONS} installations: by id ${text("byId")}; configured ${text("plain")}`);
}
