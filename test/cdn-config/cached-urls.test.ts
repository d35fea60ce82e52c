import { expect, test } from "vitest";
import { CACHED_URLS } from "../../cdn-config/generate/plan.ts";
import { matchObject, matchPath } from "../../src/resources/find.ts";

/** Canonical and unusual URLs of clients. */
const PATHS = [
  "/v1/public/telemetry",
  "/v1/public/modules",
  "/v1/public/installations/wheel-1/telemetry",
  "/v1/public/installations/../telemetry",
  "/v1/public/installations/a:b.c_D/observations",
  `/v1/public/installations/${"x".repeat(129)}/observations`,
  "/v4/public/process",
  "/v4/public/processes",
  "/v2/public/stats",
  "/v4/public/onchain",
  "/v4/public/settlements",
  "/v3/public/settlements",
  "/v1/public/activity",
  "/log/1/checkpoint",
  "/log/1/tile/0/000",
  "/log/1/tile/0/x001/067.p/255",
  "/log/1/tile/0/000.p/256",
];
const PARAMETERS = [
  "",
  "range=7d",
  "range=now",
  "range=24h",
  "queue=1",
  "queue=0",
  "a",
  "range=7%64",
  "limit=7",
  "cursor=MQ",
  "category=all",
];
const QUERIES = PARAMETERS.flatMap((one) =>
  PARAMETERS.flatMap((other) => ["", `?${one}`, `?${one}&${other}`, `?&${one}&&${other}&`, `?${one}${other}`]),
);

test("a front serves a canonical URL from the stored object, and passes every other URL to the shim", () => {
  let cached = 0;
  for (const path of PATHS) {
    for (const query of new Set(QUERIES)) {
      const found = CACHED_URLS.filter(({ pattern }) => new RegExp(pattern).test(path + query));
      expect(found.length).toBeLessThanOrEqual(1);
      const [url] = found;
      if (url === undefined) continue;
      cached++;
      const match = matchPath(new URL(`http://front${path}`).pathname);
      expect([path, match?.row.name]).toEqual([path, url.route.name]);
      if (url.key !== undefined) expect(matchObject(url.route, query.slice(1))?.key).toBe(url.key);
    }
  }
  expect(cached).toBeGreaterThan(100);
});
