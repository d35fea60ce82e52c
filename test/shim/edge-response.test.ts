import * as fc from "fast-check";
import { expect, test } from "vitest";
import { telemetryRoute } from "../../src/resources/telemetry/route.ts";
import { edgeResponse } from "../../src/shim/for-front.ts";
import { plainResponse, rowResponse } from "../../src/shim/full-response.ts";

const NOW = 1_000_000;
const body = new Uint8Array();

test("three caches in a row and a stale response end at valid-until, by CloudFront's count and by the function's", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200_000 }), (leftMs) => {
      const full = { ...rowResponse(telemetryRoute, { status: 200, headers: {} }, body), validUntil: NOW + leftMs };
      const { headers } = edgeResponse(full, NOW, true);
      const kept = /^max-age=0, s-maxage=(\d+), stale-if-error=(\d+)$/.exec(headers["cache-control"] ?? "");
      expect(kept === null).toBe(leftMs < 3_000);
      if (kept === null) {
        expect(headers["cache-control"]).toBe("no-store");
        return;
      }
      const [, seconds, stale] = kept.map(Number);
      expect(seconds).toBe(1);
      expect(3 * (seconds ?? NaN) + (stale ?? NaN)).toBe(Math.min(63, Math.floor(leftMs / 1_000)));
      expect(Number(headers["noonmark-kept-until"])).toBe(Math.min(NOW + leftMs, NOW + 68_000));
    }),
  );
});

test("an error leaves the shim unchanged, except a published error, which may be cached", () => {
  const published = rowResponse(telemetryRoute, { status: 503, headers: { "cache-control": "no-store" } }, body);
  expect(edgeResponse(published, NOW, true)).toMatchObject({ status: 200, headers: { "noonmark-status": "503" } });
  expect(edgeResponse(published, NOW, false)).toBe(published);
  const plain = plainResponse({ status: 404, headers: {}, body: "{}" });
  expect(edgeResponse(plain, NOW, true)).toBe(plain);
});
