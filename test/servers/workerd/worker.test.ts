/** The Worker as deployed, on workerd with its R2 and cache. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeWorker } from "../../../cdn-config/write-worker.ts";
import { packageFile } from "../../../src/files/package-file.ts";
import { PROCESS_KEY } from "../../../src/resources/process/route.ts";
import { putResponse } from "../../support/publish-response.ts";
import { allScripts } from "../../support/scripts/all-scripts.ts";
import { putLiveWorld } from "../../support/world.ts";
import { WorkerBucket } from "../r2-bucket.ts";
import { testOddRequests } from "../scenes/odd-requests.ts";
import { testScripts } from "../scripts.ts";

let script: string;
let miniflare: Miniflare;
let store: WorkerBucket;
let address: { hostname: string; port: number };
beforeAll(async () => {
  await writeWorker();
  script = readFileSync(packageFile("cdn-config/cloudflare/worker.js"), "utf8");
  miniflare = new Miniflare({
    host: "127.0.0.1",
    modules: true,
    script,
    compatibilityDate: "2026-07-01",
    r2Buckets: ["STORE"],
    bindings: { BUCKET: "noonmark", PREFIX: "public" },
  });
  const { hostname, port } = await miniflare.ready;
  address = { hostname, port: Number(port) };
  store = await WorkerBucket.of(miniflare, "public");
  await putLiveWorld(store);
});
afterAll(() => miniflare.dispose());

testScripts(
  () => address,
  () => ({ store }),
  [],
  allScripts(),
);

// In production Cloudflare's edge precedes a Worker. workerd itself knows no absolute targets and few methods.
describe("the Worker with odd requests", () =>
  testOddRequests({
    front: () => address,
    world: () => ({ store }),
    requests: 500,
    isSkipped: ({ method, target, headers }) =>
      !/^(?:GET|HEAD|OPTIONS|POST|PUT)$/.test(method) ||
      !target.startsWith("/") ||
      headers.some(([name]) => /^(?:accept-encoding|upgrade)$/i.test(name)),
  }));

test("a cached response turns into its successor at the instant, without a read", async () => {
  const get = async () => (await fetch(`http://127.0.0.1:${address.port}/v4/public/process`)).text();
  const from = Date.now() + 4_000;
  const successors = [{ from, edits: [{ offset: 1, length: 5, text: "stale" }] }];
  await putResponse(store, PROCESS_KEY, { status: 200, headers: {}, body: '"fresh"' }, successors);
  const seen: [number, string][] = [];
  for (let at = 0; at < from + 100; ) {
    at = Date.now();
    seen.push([at, await get()]);
  }
  expect(seen.filter(([at, text]) => at >= from && text !== '"stale"')).toEqual([]);
  expect(seen.some(([, text]) => text === '"fresh"')).toBe(true);
});

test("the bundle is at most 40 kB compressed, without the SDK, the chain or SQLite", () => {
  expect(gzipSync(script).length).toBeLessThan(40_000);
  expect(script).not.toMatch(/aws-sdk|viem|sqlite|node:/);
});
