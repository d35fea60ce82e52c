/** The Worker under load, and with a failing bucket. A wrapper module counts and blocks its R2 reads. */
import { Miniflare } from "miniflare";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PROCESS_KEY } from "../../../src/resources/process/route.ts";
import { TELEMETRY_KEY } from "../../../src/resources/telemetry/route.ts";
import { putResponse } from "../../support/publish-response.ts";
import { WorkerBucket } from "../r2-bucket.ts";
import { workerBundle } from "./worker-bundle.ts";

const AROUND = `
import worker from "../../../src/shim/worker/worker.ts";
const reads = [];
let fails = false;
export default {
  async fetch(request, { STORE }) {
    const { pathname } = new URL(request.url);
    if (pathname === "/fail") { fails = true; return new Response(); }
    if (pathname === "/reads") return Response.json(reads.splice(0));
    const get = async (key) => {
      reads.push(key);
      if (fails) throw new Error("R2 is down");
      const found = await STORE.get(key);
      await scheduler.wait(20);
      return found;
    };
    return worker.fetch(request, { STORE: { get } });
  },
};`;
const CLIENTS = 64;
const LOAD_MS = 3_000;
/** Less than the time that a request waits for another one's read. Then it reads by itself. */
const PATIENCE_MS = 200;
const UNAVAILABLE = '{"error":"store_unavailable"}';

let miniflare: Miniflare;
let base: string;
let store: WorkerBucket;
beforeAll(async () => {
  miniflare = new Miniflare({
    host: "127.0.0.1",
    modules: true,
    script: await workerBundle(AROUND),
    compatibilityDate: "2026-07-01",
    r2Buckets: ["STORE"],
  });
  base = (await miniflare.ready).origin;
  store = await WorkerBucket.of(miniflare);
  await putResponse(store, TELEMETRY_KEY, { status: 200, headers: {}, body: '"telemetry"' });
  await putResponse(store, PROCESS_KEY, { status: 200, headers: {}, body: '"process"' });
});
afterAll(() => miniflare.dispose());

const text = async (path: string) => (await fetch(base + path)).text();
/** The keys read since the previous call. */
const reads = async () => (await (await fetch(`${base}/reads`)).json()) as string[];

test(`${CLIENTS} clients cost the bucket one read per edge second and key`, async () => {
  await reads();
  const began = performance.now();
  let responses = 0;
  let late = 0;
  const client = async () => {
    while (performance.now() < began + LOAD_MS) {
      const asked = performance.now();
      const body = await text("/v1/public/telemetry");
      const isLate = performance.now() - asked > PATIENCE_MS;
      // On a busy machine a late response may be over the shim's time limit.
      expect(isLate ? ['"telemetry"', UNAVAILABLE] : ['"telemetry"']).toContain(body);
      responses++;
      if (isLate) late++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const seconds = Math.ceil((performance.now() - began) / 1_000);
  expect(responses).toBeGreaterThanOrEqual(CLIENTS);
  // On a busy machine a late response may have a read of its own.
  expect((await reads()).length).toBeLessThanOrEqual(seconds + 1 + late);
});
