/** The Worker under load, and with a failing bucket. A wrapper module counts and blocks its R2 reads. */
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type R2Bucket, R2Store } from "../../../src/object-store/r2/r2-store.ts";
import { PROCESS_KEY } from "../../../src/resources/process/route.ts";
import { TELEMETRY_KEY } from "../../../src/resources/telemetry/route.ts";
import { until } from "../../support/processes.ts";
import { putResponse } from "../../support/publish-response.ts";
import { workerBundle } from "./worker-bundle.ts";

const AROUND = `
import worker from "../../../src/shim/worker/worker.ts";
const reads = [];
let slow = 0;
let fails = false;
export default {
  async fetch(request, { STORE }) {
    const { pathname } = new URL(request.url);
    if (pathname === "/fail") { fails = true; return new Response(); }
    if (pathname === "/reads") return Response.json({ keys: reads.splice(0), slow });
    const get = async (key) => {
      reads.push(key);
      if (fails) throw new Error("R2 is down");
      const began = Date.now();
      const found = await STORE.get(key);
      await scheduler.wait(20);
      if (Date.now() - began > 200) slow++;
      return found;
    };
    return worker.fetch(request, { STORE: { get } });
  },
};`;
const CLIENTS = 64;
const LOAD_MS = 3_000;

let miniflare: Miniflare;
let base: string;
let store: R2Store;
beforeAll(async () => {
  miniflare = new Miniflare({
    host: "127.0.0.1",
    modules: true,
    script: await workerBundle(AROUND),
    compatibilityDate: "2026-07-01",
    r2Buckets: ["STORE"],
  });
  base = (await miniflare.ready).origin;
  store = new R2Store((await miniflare.getR2Bucket("STORE")) as unknown as R2Bucket);
  await putResponse(store, TELEMETRY_KEY, { status: 200, headers: {}, body: '"telemetry"' });
  await putResponse(store, PROCESS_KEY, { status: 200, headers: {}, body: '"process"' });
});
afterAll(() => miniflare.dispose());

const text = async (path: string) => (await fetch(base + path)).text();
/** Since the previous call. `slow` counts reads that took almost 250 ms, the time for which other requests wait. */
const reads = async () => (await (await fetch(`${base}/reads`)).json()) as { keys: string[]; slow: number };

test(`${CLIENTS} clients cost the bucket one read per edge second and key`, async () => {
  await reads();
  const began = performance.now();
  let responses = 0;
  const client = async () => {
    while (performance.now() < began + LOAD_MS) {
      expect(await text("/v1/public/telemetry")).toBe('"telemetry"');
      responses++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const seconds = Math.ceil((performance.now() - began) / 1_000);
  expect(responses).toBeGreaterThanOrEqual(CLIENTS);
  const { keys, slow } = await reads();
  // On a busy machine clients stop waiting for a slow read, and each may then read by itself.
  expect(keys.length).toBeLessThanOrEqual(seconds + 1 + slow * CLIENTS);
});

test("a failing bucket is hidden only as the table says", async () => {
  expect([await text("/v1/public/telemetry"), await text("/v4/public/process")]).toEqual(['"telemetry"', '"process"']);
  await text("/fail");
  // One edge second later.
  await until("process fails", async () => (await fetch(`${base}/v4/public/process`)).status === 503);
  expect(await text("/v4/public/process")).toBe('{"error":"store_unavailable"}');
  await until("telemetry requests have failed", async () => {
    expect(await text("/v1/public/telemetry")).toBe('"telemetry"');
    return (await reads()).keys.includes(TELEMETRY_KEY);
  });
});
