/** A published 503 is cached for one second at the edge, other errors not at all (docs/spec/publishing.md#caches). */
import { expect, test } from "vitest";
import { REVALIDATE } from "../../../src/http/common-headers.ts";
import { unavailable } from "../../../src/http/errors.ts";
import { statisticsKey } from "../../../src/resources/statistics/route.ts";
import { until } from "../../support/processes.ts";
import { putResponse } from "../../support/publish-response.ts";
import type { Front } from "../front.ts";
import type { S3Server } from "../radosgw.ts";
import { ask, type Origins, overFolder } from "./over-proxies.ts";

const PATH = "/v2/public/stats?range=30d";
const KEY = statisticsKey("30d");
const WATCHED_MS = 4_000;
/** The interval of a client that repeats its request. */
const POLL_MS = 25;
/** Tolerance after a put: one request may be in progress, and some fronts count in whole seconds. */
const MAX_REQUESTS = 3;

export interface PublishedErrors {
  readonly server: () => S3Server;
  start(origins: Origins): Promise<Front>;
}

export function testPublishedErrors({ server, start }: PublishedErrors): void {
  for (const [origin, isBucketDown] of [
    ["the bucket", false],
    ["the shim instead", true],
  ] as const) {
    test(`a published 503 costs ${origin} one request per second, and is replaced when another response is put`, async () => {
      await overFolder({ server, start }, async ({ store, front, bucket, shim }) => {
        await putResponse(store, KEY, unavailable("public_stats_rebuilding"));
        if (isBucketDown) bucket.otherwise = { status: 503, code: "SlowDown" };
        const { responses, seconds } = await responsesFor(front, WATCHED_MS);
        expect(responses).toEqual(['503 no-store 2 {"error":"public_stats_rebuilding"}']);
        // Cached, but not for the route's own edge seconds.
        const requestCount = () => shim.seen.length + (isBucketDown ? 0 : bucket.seen.length);
        expect(requestCount()).toBeGreaterThanOrEqual(2);
        expect(requestCount()).toBeLessThanOrEqual(2 * (seconds + 1));

        const headers = { "cache-control": REVALIDATE, etag: '"good"' };
        await putResponse(store, KEY, { status: 200, headers, body: '"good"' });
        const before = requestCount();
        await until("the response is served", async () => (await ask(front, PATH)).status === 200);
        expect(requestCount() - before).toBeLessThanOrEqual(MAX_REQUESTS);
      });
    });
  }

  test("an error that is not published is requested every time", async () => {
    await overFolder({ server, start }, async ({ front, bucket, shim }) => {
      for (let times = 0; times < 10; times++) {
        const response = await ask(front, PATH);
        expect([response.status, await response.text()]).toEqual([503, '{"error":"database_busy"}']);
      }
      expect(shim.seen.length).toBeGreaterThanOrEqual(10);
      bucket.otherwise = shim.otherwise = { status: 500, code: "InternalError" };
      const before = shim.seen.length;
      for (let times = 0; times < 10; times++) expect((await ask(front, PATH)).status).toBeGreaterThanOrEqual(500);
      expect(shim.seen.length - before).toBeGreaterThanOrEqual(10);
    });
  });
}

/** Every distinct response during some time, and how long it took. */
async function responsesFor(front: Front, milliseconds: number): Promise<{ responses: string[]; seconds: number }> {
  const seen = new Set<string>();
  const began = performance.now();
  while (performance.now() < began + milliseconds) {
    const response = await ask(front, PATH);
    const { headers } = response;
    seen.add(
      `${response.status} ${headers.get("cache-control")} ${headers.get("retry-after")} ${await response.text()}`,
    );
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return { responses: [...seen], seconds: Math.ceil((performance.now() - began) / 1_000) };
}
