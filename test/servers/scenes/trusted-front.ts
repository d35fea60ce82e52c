/**
 * A front with a shim that trusts it and one that does not, and the headers that neither passes on
 * (`docs/spec/publishing.md#caches`).
 */
import { setTimeout as wait } from "node:timers/promises";
import { expect, test } from "vitest";
import { CONTENT_TYPE, REVALIDATE } from "../../../src/http/common-headers.ts";
import { PROCESS_KEY } from "../../../src/resources/process/route.ts";
import { TELEMETRY_KEY } from "../../../src/resources/telemetry/route.ts";
import { putResponse } from "../../support/publish-response.ts";
import type { Front, FrontOrigins } from "../front.ts";
import type { S3Server } from "../radosgw.ts";
import { ask, overFolder } from "./over-proxies.ts";

const SECRET = "a-secret-of-this-test";
const PATH = "/v1/public/telemetry";
const NOTICE_MS = 1_500;
const POLL_MS = 20;

export interface TrustedFrontOptions {
  readonly server: () => S3Server;
  start(origins: FrontOrigins): Promise<Front>;
}

export function testTrustedFront({ server, start }: TrustedFrontOptions): void {
  test.each([
    ["a shim that trusts nobody", "none", undefined, false],
    ["a shim with a secret that the front does not know", SECRET, undefined, false],
    ["a shim with the front's secret", SECRET, SECRET, true],
  ])("%s: responses are correct, and cached only if it trusts the front", async (_, fronts, frontSecret, isKept) => {
    const startWith = (origins: FrontOrigins) => start({ ...origins, frontSecret });
    await overFolder({ server, start: startWith, fronts }, async ({ store, front, bucket, shim }) => {
      // Only the shim responds, so its headers are all that a front knows about a response's lifetime.
      bucket.otherwise = { status: 503, code: "SlowDown" };
      const from = Date.now() + NOTICE_MS;
      await putResponse(store, TELEMETRY_KEY, { status: 200, headers: {}, body: '"fresh"' }, [
        { from, edits: [{ offset: 1, length: 5, text: "stale" }] },
      ]);
      const wrong: string[] = [];
      const began = performance.now();
      let times = 0;
      for (let polledAt = 0; polledAt < from; times++) {
        polledAt = Date.now();
        const response = await ask(front, PATH, {
          headers: { "noonmark-front-secret": SECRET, "noonmark-front": "edge" },
        });
        const text = await response.text();
        if (polledAt >= from && text !== '"stale"') wrong.push(`${polledAt - from} ms late: ${text}`);
        if (Date.now() < from && text !== '"fresh"') wrong.push(`${from - Date.now()} ms early: ${text}`);
        for (const [name] of response.headers) if (name.startsWith("noonmark-")) wrong.push(name);
        await wait(POLL_MS);
      }
      expect(wrong).toEqual([]);
      // One per second, and one for the successor.
      const seconds = Math.ceil((performance.now() - began) / 1_000);
      if (isKept) expect(shim.seen.length).toBeLessThanOrEqual(seconds + 2);
      else expect(shim.seen.length).toBeGreaterThanOrEqual(times);
    });
  });

  test("an uncacheable response is 304 for its tag, compressed or not", async () => {
    await overFolder({ server, start, fronts: "none" }, async ({ store, front, bucket }) => {
      bucket.otherwise = { status: 503, code: "SlowDown" };
      const headers = { etag: '"t1"', "cache-control": REVALIDATE };
      await putResponse(store, PROCESS_KEY, { status: 200, headers, body: JSON.stringify("long".repeat(1_000)) });
      for (const encoding of ["identity", "gzip"]) {
        const found: unknown[] = [];
        for (const field of ['"t1"', 'W/"t1"', '"x", "t1"', "*", '"x"']) {
          const sent = { "if-none-match": field, "accept-encoding": encoding };
          const reply = await ask(front, "/v4/public/process", { headers: sent });
          const names = ["cache-control", "content-type", "access-control-allow-origin"];
          const tag = reply.headers.get("etag")?.replace("W/", "");
          found.push([field, reply.status, tag, ...names.map((name) => reply.headers.get(name))]);
          await reply.text();
        }
        const notModified = [304, '"t1"', REVALIDATE, null, "*"];
        expect(found, encoding).toEqual([
          ['"t1"', ...notModified],
          ['W/"t1"', ...notModified],
          ['"x", "t1"', ...notModified],
          ["*", ...notModified],
          ['"x"', 200, '"t1"', REVALIDATE, CONTENT_TYPE, "*"],
        ]);
      }
    });
  });

  test("the shim's health endpoints are not public", async () => {
    await overFolder({ server, start }, async ({ front }) => {
      for (const path of ["/readyz", "/healthz", "/readyz?a", "/%72eadyz", "//readyz"]) {
        const response = await ask(front, path);
        expect([path, response.status, await response.text()]).toEqual([path, 404, '{"error":"not_found"}']);
      }
      const twoLines = await ask(front, "/readyz", {
        headers: [
          ["if-none-match", '"a"'],
          ["if-none-match", '"b"'],
        ],
      });
      expect([twoLines.status, await twoLines.text()]).toEqual([404, '{"error":"not_found"}']);
    });
  });
}
