/** Publisher and shim measure their clocks against the store's (docs/spec/publishing.md#clocks), as real processes. */
import { expect, test } from "vitest";
import { TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import { until } from "../support/processes.ts";
import { putResponse } from "../support/publish-response.ts";
import { withCommands } from "./commands.ts";
import type { S3Server } from "./radosgw.ts";

/**
 * The reported error is a lower bound: at most the true error, and less by at most the request's duration (whole
 * seconds).
 */
const expectProven = (skewMs: number, trueMs: number) => {
  expect(Math.sign(skewMs)).toBe(Math.sign(trueMs));
  expect(Math.abs(skewMs)).toBeGreaterThanOrEqual(2_000);
  expect(Math.abs(skewMs)).toBeLessThanOrEqual(Math.abs(trueMs) + 1_000);
};
const HEAD_PUT = /^PUT .*\/private\/head\.json/;
const WITHOUT_LEDGER = ["--ledger", "none", "--installation-id", "wheel-1"];

export function clocks(server: () => S3Server): void {
  test.concurrent("a publisher that detects a clock error of more than a minute writes nothing and waits", async () => {
    await withCommands(server(), async ({ proxy, start }) => {
      const publisher = start("publish", ...WITHOUT_LEDGER);
      await until("it publishes", async () => publisher.output().includes('"msg":"cycle"'));
      // Its objects are put. No new put starts under a wrong clock.
      await until("it renews its lease", async () => proxy.answered.filter((line) => HEAD_PUT.test(line)).length > 3);
      const before = proxy.answered.length;
      proxy.dateShiftMs = -90_000;
      const reported = /"code":"clock_skew".*"this host's clock is (?:[678]\d|90) s ahead of that of s3:/;
      await until("it reports the clock", async () => reported.test(publisher.output()));
      await until("it waits", async () => publisher.output().includes("publish waits"));
      // The release of the head, and the new session's probe of the store.
      const puts = proxy.answered.slice(before).filter((line) => !/^(?:GET|HEAD) /.test(line));
      expect(puts.filter((line) => !line.includes("/probe/") && !/\/\d+\/private\/head\.json\?/.test(line))).toEqual(
        [],
      );
    });
  });

  test.concurrent("a wrong clock is reported from two seconds on, and prevents acquiring the lease beyond a minute", async () => {
    await withCommands(server(), async ({ proxy, start }) => {
      proxy.dateShiftMs = 90_000;
      const refused = start("publish", "--once", ...WITHOUT_LEDGER);
      expect(await refused.ended).toBe(1);
      expect(refused.output()).toMatch(
        /^noonmark: clock_skew: this host's clock is (?:[678]\d|90) s behind that of s3:/,
      );
      expect(proxy.seen.filter((line) => line.startsWith("PUT") && !line.includes("/probe/"))).toEqual([]);

      proxy.dateShiftMs = 30_000;
      expect(await start("publish", "--once", ...WITHOUT_LEDGER).ended).toBe(0);
      const status = start("status", ...WITHOUT_LEDGER);
      expect(await status.ended).toBe(1);
      // At least what is proven: a request takes up to two seconds.
      expect(status.output()).toMatch(/clock: (?:2[89]|30)(?:\.\d)? s behind the store's/);

      proxy.dateShiftMs = 0;
      expect(await start("publish", "--once", ...WITHOUT_LEDGER).ended).toBe(0);
      const right = start("status", ...WITHOUT_LEDGER);
      expect(await right.ended).toBe(0);
    });
  });

  test.concurrent("the shim also measures its clock, and uses the store's", async () => {
    await withCommands(server(), async ({ proxy, start, store }) => {
      const successors = [{ from: Date.now() + 45_000, edits: [{ offset: 1, length: 3, text: "next" }] }];
      await putResponse(store, TELEMETRY_KEY, { status: 200, headers: {}, body: '"now"' }, successors);
      proxy.dateShiftMs = 90_000;
      const serve = start("serve", "--port", "0");
      let url = "";
      await until("it serves", async () => (url = /http:\/\/127\.0\.0\.1:\d+/.exec(serve.output())?.[0] ?? "") !== "");
      const { clockSkewMs } = (await (await fetch(`${url}/readyz`)).json()) as { clockSkewMs: number };
      expectProven(clockSkewMs, -90_000);
      expect(await (await fetch(`${url}/v1/public/telemetry`)).text()).toBe('"next"');
    });
  });
}
