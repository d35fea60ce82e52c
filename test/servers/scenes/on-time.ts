/**
 * A measurement turns stale at its instant (docs/spec/api.md#telemetry 2) through each front, after its publisher was
 * killed.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";
import type { ObjectStore } from "../../../src/object-store/object-store.ts";
import type { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import { PROCESS_KEY } from "../../../src/resources/process/route.ts";
import { TELEMETRY_KEY } from "../../../src/resources/telemetry/route.ts";
import { STALE_AFTER_MS } from "../../../src/values/freshness.ts";
import { receive } from "../../publish/world.ts";
import { stop, until } from "../../support/processes.ts";
import { startOver } from "../commands.ts";
import type { Front } from "../front.ts";
import { startNginx } from "../nginx.ts";
import type { WorkerBucket } from "../r2-bucket.ts";
import type { S3Server } from "../radosgw.ts";
import { s3Store } from "../stores/s3-store.ts";
import { startVarnish } from "../varnish.ts";
import { startWorker } from "../worker.ts";
import { ask } from "./over-proxies.ts";
import { originsOver } from "./published-world.ts";

const PATHS: Readonly<Record<string, (body: unknown) => string>> = {
  "/v1/public/telemetry": (body) => (body as { status: string }).status,
  "/v1/public/installations/wheel-1/telemetry": (body) => (body as { status: string }).status,
  "/v4/public/process": (body) => (body as { measurement: { freshness: string } }).measurement.freshness,
};
/**
 * Milliseconds from the receipt's acceptance to its instant: time to publish it, kill the publisher and observe it
 * online.
 */
const NOTICE_MS = 60_000;
/** The polling interval of a reader. */
const POLL_MS = 25;

export function testStaleOnTime(server: () => S3Server): void {
  test.concurrent("after the publisher's death a measurement turns stale on time through each front", async () => {
    const folder = mkdtempSync(join(tmpdir(), "noonmark-on-time-"));
    const store = s3Store(server());
    const world = await originsOver(server(), store);
    const worker = await startWorker();
    const fronts = { varnish: await startVarnish(world.origins), nginx: await startNginx(world.origins), worker };
    try {
      const instant = await publishAndDie(folder, store);
      await copy(store, worker.store);
      const sightings = await Promise.all(Object.entries(fronts).map(([name, front]) => watch(name, front, instant)));
      expect(sightings.flat()).toEqual([]);
    } finally {
      await Promise.all(Object.values(fronts).map((front) => front.stop()));
      await world.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  /** Puts the responses of one receipt, and returns the instant (epoch ms) at which it is stale. */
  async function publishAndDie(folder: string, store: S3Store): Promise<number> {
    const ledger = openLedgerForIntake(join(folder, "ledger.db"));
    const instant = Date.now() + NOTICE_MS;
    const receivedAt = instant - STALE_AFTER_MS - 1;
    receive(ledger, 1, { rowId: 1, id: "wheel-1" }, receivedAt - 3_000);
    ledger.close();
    const args = ["publish", "--installation-id", "wheel-1", "--ledger", "ledger.db", "--state", "state"];
    const publisher = startOver(store, server().endpoint, folder, args);
    try {
      await until("telemetry and process are stored", async () => {
        const stored = await Promise.all([TELEMETRY_KEY, PROCESS_KEY].map((key) => store.get(key)));
        return stored.every((object) => object !== undefined);
      });
    } finally {
      await stop(publisher.process, "SIGKILL");
    }
    return instant;
  }
}

/** Copies objects like a bucket's replication. */
async function copy(from: ObjectStore, to: WorkerBucket): Promise<void> {
  for await (const key of from.list("")) {
    const object = await from.get(key);
    if (object !== undefined) await to.put(key, object);
  }
}

/** Faults observed through a front, from before the instant until after it. */
async function watch(name: string, front: Front, instant: number): Promise<string[]> {
  const wrong: string[] = [];
  const seen = new Set<string>();
  for (let polledAt = 0; polledAt < instant; ) {
    polledAt = Date.now();
    for (const [path, read] of Object.entries(PATHS)) {
      const from = Date.now();
      const response = await ask(front, path);
      const text = await response.text();
      const freshness = response.status === 200 ? read(JSON.parse(text)) : text;
      const to = Date.now();
      seen.add(`${path} ${freshness}`);
      const isRight = freshness === "online" ? from < instant : freshness === "stale" && to >= instant;
      if (!isRight) wrong.push(`${name} ${path}: ${freshness}, polledAt ${from - instant} ms after the instant`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  const expected = Object.keys(PATHS).flatMap((path) => [`${path} online`, `${path} stale`]);
  return [...wrong, ...expected.filter((sight) => !seen.has(sight)).map((sight) => `${name} never: ${sight}`)];
}
