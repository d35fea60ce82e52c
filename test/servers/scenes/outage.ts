/** A front under load, during an outage, and at the end of a response's validity. */
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { PROCESS_KEY } from "../../../src/resources/process/route.ts";
import { TELEMETRY_KEY } from "../../../src/resources/telemetry/route.ts";
import { until } from "../../support/processes.ts";
import { putResponse } from "../../support/publish-response.ts";
import type { Front } from "../front.ts";
import { ask, type Origins, overProxies } from "./over-proxies.ts";
import type { PublishedWorld } from "./published-world.ts";

/** Both origins refuse connections, so a kept response costs no waiting. */
const HIDDEN_WITHIN_MS = 100;
const REVALIDATE = { "cache-control": "public, max-age=0, must-revalidate" };
const CLIENTS = 64;
const LOAD_MS = 2_500;
/** The pause of a client between two requests. */
const CLIENT_PAUSE_MS = 100;
/** The pause between two looks at an instant that comes. */
const POLL_MS = 20;

export interface OutageOptions {
  readonly world: () => PublishedWorld;
  start(origins: Origins): Promise<Front>;
}

export function testOutages({ world, start }: OutageOptions): void {
  test(`${CLIENTS} clients cost the origin one request per edge second and key`, async () => {
    await overProxies(world(), start, async (front, bucket, shim) => {
      await putResponse(world().store, TELEMETRY_KEY, { status: 200, headers: {}, body: '"load"' });
      const from = performance.now();
      let responses = 0;
      const client = async () => {
        while (performance.now() < from + LOAD_MS) {
          expect(await (await ask(front, "/v1/public/telemetry")).text()).toBe('"load"');
          responses++;
          await wait(CLIENT_PAUSE_MS);
        }
      };
      await Promise.all(Array.from({ length: CLIENTS }, client));
      const seconds = Math.ceil((performance.now() - from) / 1000);
      expect(responses).toBeGreaterThanOrEqual(CLIENTS);
      // On a busy machine the bucket may respond too late for an edge second. The front then requests the shim instead.
      expect(bucket.seen.length + shim.seen.length).toBeLessThanOrEqual(seconds + 1);
      if (front.asksSharedShim !== true) expect(shim.seen.length).toBeLessThan(bucket.seen.length);
    });
  });

  test("a stopped origin is hidden only as the table says", async () => {
    await overProxies(world(), start, async (front, bucket, shim) => {
      await putResponse(world().store, TELEMETRY_KEY, { status: 200, headers: {}, body: '"hidden"' });
      await putResponse(world().store, PROCESS_KEY, { status: 200, headers: REVALIDATE, body: '"seen"' });
      expect((await ask(front, "/v1/public/telemetry")).status).toBe(200);
      expect((await ask(front, "/v4/public/process")).status).toBe(200);
      await bucket.stop();
      await shim.stop();
      // One edge second later one response is stale but kept, and the other is gone.
      await until("process fails", async () => (await ask(front, "/v4/public/process")).status === 503);
      const failed = await ask(front, "/v4/public/process");
      expect([failed.headers.get("cache-control"), await failed.text()]).toEqual([
        "no-store",
        '{"error":"store_unavailable"}',
      ]);
      const hidden = await ask(front, "/v1/public/telemetry");
      expect([hidden.status, await hidden.text()]).toEqual([200, '"hidden"']);
      const took: number[] = [];
      for (let times = 0; times < 20; times++) {
        const from = performance.now();
        await (await ask(front, "/v1/public/telemetry")).text();
        took.push(performance.now() - from);
      }
      expect(took.toSorted((one, other) => one - other)[took.length / 2]).toBeLessThan(HIDDEN_WITHIN_MS);
    });
  });

  test("nothing is hidden past valid-until, and the successor is on time while the shim is alive", async () => {
    await overProxies(world(), start, async (front, bucket, shim) => {
      const from = Date.now() + 2_500;
      const successors = [{ from, edits: [{ offset: 1, length: 5, text: "stale" }] }];
      await putResponse(world().store, TELEMETRY_KEY, { status: 200, headers: {}, body: '"fresh"' }, successors);
      const seen: { at: number; until: number; text: string }[] = [];
      for (let at = 0; at < from + 300; ) {
        at = Date.now();
        const text = await (await ask(front, "/v1/public/telemetry")).text();
        seen.push({ at, until: Date.now(), text });
        await wait(POLL_MS);
      }
      // A request around the instant may get either response; only later ones must get the successor.
      expect(seen.filter(({ at, text }) => text === '"fresh"' && at >= from)).toEqual([]);
      expect(seen.filter(({ until, text }) => text === '"stale"' && until < from - 1_000)).toEqual([]);
      expect(seen.at(-1)?.text).toBe('"stale"');

      const end = Date.now() + 9_000;
      await putResponse(world().store, TELEMETRY_KEY, { status: 200, headers: {}, body: '"brief"' }, [{ from: end }]);
      await until(
        "the new response is served",
        async () => (await (await ask(front, "/v1/public/telemetry")).text()) === '"brief"',
      );
      await bucket.stop();
      await shim.stop();
      let last = 0;
      await until("the validity has ended", async () => {
        const at = Date.now();
        const { status } = await ask(front, "/v1/public/telemetry");
        if (status === 200) last = at;
        return status === 503;
      });
      expect(last).toBeLessThan(end);
    });
  });
}
