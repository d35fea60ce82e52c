/** The headers for trusted fronts, and that an untrusted client gains nothing by claiming to be a front. */
import { expect, test } from "vitest";
import { ONCHAIN_KEY } from "../../src/resources/onchain/route.ts";
import { PROCESS_KEY } from "../../src/resources/process/route.ts";
import { statisticsKey } from "../../src/resources/statistics/route.ts";
import { TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import { shimContext } from "../../src/shim/context.ts";
import { trustsFront } from "../../src/shim/node/node-handler.ts";
import { respond, type ShimRequest } from "../../src/shim/respond.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { putResponse } from "../support/publish-response.ts";

const NOW = 1_000_000;
const URLS = [
  "/v1/public/telemetry",
  "/v4/public/process",
  "/v4/public/onchain",
  "/v2/public/stats?range=7d",
  "/nowhere",
];

async function asker() {
  const store = new MemoryStore();
  const headers = { etag: '"r"', "cache-control": "public, max-age=0, must-revalidate" };
  await putResponse(store, TELEMETRY_KEY, { status: 200, headers: {}, body: "{}" }, [
    { from: NOW + 90_000, edits: [{ offset: 0, length: 1, text: "{" }] },
  ]);
  await putResponse(store, PROCESS_KEY, { status: 200, headers, body: "{}" });
  await putResponse(store, ONCHAIN_KEY, { status: 200, headers: { "cache-control": "no-store" }, body: "{}" });
  const published = { "cache-control": "no-store", "retry-after": "2" };
  await putResponse(store, statisticsKey("7d"), { status: 503, headers: published, body: "{}" });
  const context = shimContext({ store, now: () => NOW, monotonic: () => 0 });
  return (url: string, more: Partial<ShimRequest> = {}) => respond({ method: "GET", url, ...more }, context);
}

test.each(["1", "edge", "pass", "", "x"])(
  "the header %j of an untrusted front changes neither status nor body, and no cache keeps the response longer",
  async (said) => {
    const ask = await asker();
    for (const url of URLS) {
      const [plain, told] = [await ask(url), await ask(url, { untrustedFront: said })];
      expect([url, told.status, told.body]).toEqual([url, plain.status, plain.body]);
      expect(told.headers["noonmark-trusted"]).toBeUndefined();
      expect(told.headers["noonmark-status"]).toBeUndefined();
      const isEdge = said === "edge" || said === "pass";
      // The CDN's function restores the client's headers, except on an error, for which no function runs.
      const restored = isEdge && plain.status < 400 ? "noonmark-cache-control" : "cache-control";
      const cacheControl = told.headers[restored];
      expect([url, cacheControl]).toEqual([url, plain.headers["cache-control"]]);
      expect([url, told.headers["cache-control"] ?? ""]).not.toEqual([
        url,
        expect.stringMatching(/s-maxage|stale-if-error/),
      ]);
      // The header that configurations older than the setting check.
      if (!isEdge) expect([url, told.headers["noonmark-valid-until"]]).toEqual([url, "0"]);
      else if (plain.status < 400) expect([url, told.headers["cache-control"]]).toEqual([url, "no-store"]);
    }
  },
);

test.each(["1", "edge", "pass"])(
  "a trusted front with the header %j gets its mark on each response that its function sees",
  async (said) => {
    const ask = await asker();
    for (const url of URLS) {
      const { status, headers } = await ask(url, { front: said });
      expect([url, headers["noonmark-trusted"]]).toEqual([url, said === "1" || status < 400 ? "1" : undefined]);
    }
    const { status, headers } = await ask("/v4/public/process", { front: "1", ifNoneMatch: "*" });
    expect([status, headers["noonmark-trusted"]]).toEqual([304, "1"]);
  },
);

const SECRET = "0123456789abcdef";

test.each([
  ["none", [], [undefined, "", "none", SECRET]],
  ["any", [undefined, "", "any", SECRET], []],
  [SECRET, [SECRET], [undefined, "", "any", "none", `${SECRET}0`, SECRET.slice(1), SECRET.toUpperCase()]],
])("the setting fronts=%s trusts only its fronts", (fronts, trusted, untrusted) => {
  const trusts = trustsFront(fronts);
  expect([trusted.filter((given) => !trusts(given)), untrusted.filter(trusts)]).toEqual([[], []]);
});
