/** CloudFront's functions and template in a simulated CloudFront, in front of the shim itself. */
import { readdirSync, readFileSync } from "node:fs";
import { transformSync } from "esbuild";
import { describe, expect, test } from "vitest";
import { cloudfrontFiles } from "../../../cdn-config/generate/cloudfront/template.ts";
import type { Successor } from "../../../src/http/successor.ts";
import { PROCESS_KEY } from "../../../src/resources/process/route.ts";
import { settlementsKey } from "../../../src/resources/settlements/route.ts";
import { statisticsKey } from "../../../src/resources/statistics/route.ts";
import { TELEMETRY_KEY } from "../../../src/resources/telemetry/route.ts";
import { type ShimContext, shimContext } from "../../../src/shim/context.ts";
import { respond } from "../../../src/shim/respond.ts";
import { CloudFront, type CloudFrontOptions, type CloudFrontTemplate, type Origin } from "../../support/cloudfront.ts";
import { edgeFunction } from "../../support/cloudfront-function.ts";
import { MemoryStore } from "../../support/memory-store.ts";
import { putResponse } from "../../support/publish-response.ts";
import { allScripts } from "../../support/scripts/all-scripts.ts";
import { runScript } from "../../support/scripts/run-http-script.ts";
import { scriptWorld } from "../../support/scripts/script-world.ts";

const files = cloudfrontFiles();
const template = JSON.parse(files["template.json"] ?? "") as CloudFrontTemplate;
const REVALIDATE = { "cache-control": "public, max-age=0, must-revalidate" };
const NOW = 1_000_000;

/** A distribution in front of a shim over an in-memory store, with control over clock and origin. */
function distribution(options: Partial<Pick<CloudFrontOptions, "tiers" | "responseSees">> = {}) {
  const store = new MemoryStore();
  const world = { store, now: NOW, down: false, asked: [] as string[] };
  const context = shimContext({ store, now: () => world.now, monotonic: () => world.now });
  const shim = shimOf(() => context);
  const origin: Origin = async (method, url, headers) => {
    if (world.down) throw new Error("down");
    world.asked.push(`${method} ${url} ${JSON.stringify(headers)}`);
    return shim(method, url, headers);
  };
  const settings = { tiers: 1, responseSees: "original request", ...options } as const;
  const cloudfront = new CloudFront({ template, origin, now: () => world.now, ...settings });
  const get = (url: string, headers: Record<string, string> = {}) => cloudfront.request("GET", url, headers);
  return Object.assign(world, { cloudfront, get });
}

function shimOf(context: () => ShimContext): Origin {
  return async (method, url, headers) => {
    const request = { method, url, ifNoneMatch: headers["if-none-match"], front: headers["noonmark-front"] };
    const reply = await respond(request, context());
    return { ...reply, body: reply.body === undefined ? "" : new TextDecoder().decode(reply.body) };
  };
}

describe.each(["original request", "rewritten request"] as const)(
  "viewer-response functions that see the %s",
  (responseSees) => {
    for (const { name, blocks } of allScripts()) {
      test(`${name}, byte for byte`, async () => {
        const { context, control, object } = await scriptWorld();
        const cloudfront = new CloudFront({
          template,
          origin: shimOf(() => context),
          now: () => context.now(),
          tiers: 0,
          responseSees,
        });
        const send = cloudfront.request.bind(cloudfront);
        const outcome = await runScript(blocks, { control, object, transport: [], send });
        expect(outcome).toMatchObject({ differences: [], skipped: [] });
      });
    }
  },
);

describe("the functions", () => {
  const code = { request: files["viewer-request.js"] ?? "", response: files["viewer-response.js"] ?? "" };

  /** Globals beyond ECMAScript 5.1; the second one only prints. */
  const RUNTIME = { "const-and-let": true, "object-extensions": true };

  test.each(Object.entries(code))("viewer-%s has at most 10 kB and uses nothing newer than the runtime", (_, text) => {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(10_240);
    const lowered = transformSync(text, { target: "es5", supported: RUNTIME, charset: "utf8" });
    expect(lowered.code).toBe(transformSync(text, { target: "esnext", charset: "utf8" }).code);
  });

  const EVENTS = new URL("./events/", import.meta.url);
  test.each(readdirSync(EVENTS))("%s gives its expected event", (name) => {
    const { event, returns, rawQueryString } = JSON.parse(readFileSync(new URL(name, EVENTS), "utf8"));
    const text = event.context.eventType === "viewer-request" ? code.request : code.response;
    expect(edgeFunction(text, () => NOW).handle({ ...event, rawQueryString })).toEqual(returns);
  });
});

describe("caching", () => {
  test("all forms of a URL share one key, and a URL that only the shim can judge is not cached", async () => {
    const world = distribution();
    await putResponse(world.store, settlementsKey("queue"), { status: 200, headers: REVALIDATE, body: "{}" });
    await putResponse(world.store, TELEMETRY_KEY, { status: 200, headers: {}, body: "{}" });
    for (const query of ["range=now&queue=1", "queue=1&range=now", "&queue=1&&range=now&"]) {
      expect((await world.get(`/v4/public/settlements?${query}`)).status).toBe(200);
    }
    for (const query of ["", "?", "?a=b", "?a=b&a=c&%zz"]) await world.get(`/v1/public/telemetry${query}`);
    expect(world.asked).toEqual([
      'GET /v4/public/settlements?range=now&queue=1 {"noonmark-front":"edge"}',
      'GET /v1/public/telemetry {"noonmark-front":"edge"}',
    ]);
    world.asked.length = 0;
    for (let times = 0; times < 2; times++) {
      expect((await world.get("/v4/public/settlements?range=n%6Fw&queue=1")).status).toBe(200);
      expect((await world.get("/v4/public/settlements?range=never")).status).toBe(400);
    }
    expect(world.asked).toHaveLength(4);
  });

  test("responses are cached for the table's edge seconds, and missing objects are not cached", async () => {
    const world = distribution();
    const url = "/v4/public/process";
    expect((await world.get(url)).status).toBe(503);
    await putResponse(world.store, PROCESS_KEY, { status: 200, headers: REVALIDATE, body: "1" });
    expect((await world.get(url)).body).toBe("1");
    await putResponse(world.store, PROCESS_KEY, { status: 200, headers: REVALIDATE, body: "2" });
    world.now += 999;
    expect((await world.get(url)).body).toBe("1");
    world.now += 1;
    expect((await world.get(url)).body).toBe("2");
  });

  test("a published 503 is cached for one second, with its real status and headers for clients", async () => {
    const world = distribution();
    const headers = { "cache-control": "no-store", "retry-after": "2" };
    const url = "/v2/public/stats?range=7d";
    const body = '{"error":"public_stats_rebuilding"}';
    await putResponse(world.store, statisticsKey("7d"), { status: 503, headers, body });
    for (const msLater of [0, 999, 1]) {
      world.now += msLater;
      expect(await world.get(url)).toMatchObject({
        status: 503,
        headers: { ...headers, "content-length": "35" },
        body,
      });
    }
    expect(world.asked).toHaveLength(2);
  });

  test("a client's tags are compared with the cached response, without a request to the shim", async () => {
    const world = distribution();
    const reply = { headers: { etag: '"a,b"', ...REVALIDATE }, body: "{}", status: 200 };
    await putResponse(world.store, PROCESS_KEY, reply);
    await putResponse(world.store, settlementsKey("7d"), reply);
    await putResponse(world.store, TELEMETRY_KEY, { ...reply, headers: { etag: '"a,b"' } });
    const statuses = async (url: string) =>
      Promise.all(
        ['"a,b"', 'W/"a,b"', ' "x" , W/"a,b"', "*", '"a', '"x"', "a,b"].map(
          async (field) => (await world.get(url, { "If-None-Match": field, Range: "bytes=0-0" })).status,
        ),
      );
    for (const url of ["/v4/public/process", "/v1/public/telemetry"]) await world.get(url);
    expect(await statuses("/v4/public/process")).toEqual([304, 304, 304, 304, 200, 200, 200]);
    expect(new Set(await statuses("/v1/public/telemetry"))).toEqual(new Set([200]));
    const process = await world.get("/v4/public/process", { "If-None-Match": "*" });
    expect(process).toMatchObject({ body: "", headers: { etag: '"a,b"', ...REVALIDATE } });
    expect(Object.keys(process.headers)).not.toContain("content-type");
    const settlements = await world.get("/v4/public/settlements?range=7d", { "If-None-Match": "*" });
    expect([settlements.status, settlements.headers["etag"]]).toEqual([304, undefined]);
    expect(world.asked.every((line) => !/none-match/i.test(line))).toBe(true);
    expect(world.asked).toHaveLength(3);
  });
});

describe("time", () => {
  const successors: Successor[] = [{ from: NOW + 10_500, edits: [{ offset: 1, length: 5, text: "stale" }] }];
  const online = { status: 200, headers: {}, body: '"fresh"' };

  /**
   * The first request of each location (ms), timed so that a cache is filled just before the one behind it is refilled.
   */
  const FIRST_ASKS = [1_700, 850, 425, 0];

  test.each([1, 2, 3])(
    "through %d tiers no response is served past valid-until, and every request gets a response",
    async (tiers) => {
      for (const stepMs of [3, 97, 333, 1_000, 1_003]) {
        const world = distribution({ tiers });
        await putResponse(world.store, TELEMETRY_KEY, online, successors);
        let drawn = stepMs;
        for (; world.now < NOW + 16_000; world.now += stepMs) {
          drawn = (drawn * 48_271) % 0x7fff_ffff;
          world.cloudfront.location = drawn % FIRST_ASKS.length;
          if (world.now - NOW < (FIRST_ASKS[world.cloudfront.location] ?? 0)) continue;
          const { status, body } = await world.get("/v1/public/telemetry");
          expect([world.now, status, body]).toEqual([world.now, 200, world.now < NOW + 10_500 ? '"fresh"' : '"stale"']);
        }
      }
    },
  );

  test("a failing origin is hidden as long as the table says, and never past valid-until", async () => {
    const world = distribution({ tiers: 3 });
    await putResponse(world.store, TELEMETRY_KEY, online, successors);
    await putResponse(world.store, PROCESS_KEY, { status: 200, headers: REVALIDATE, body: "{}" });
    await world.get("/v1/public/telemetry");
    await world.get("/v4/public/process");
    world.down = true;
    world.now = NOW + 4_000;
    expect((await world.get("/v4/public/process")).status).toBe(502);
    // One edge second in each of three caches, then up to valid-until: seven seconds.
    world.now = NOW + 7_999;
    expect(await world.get("/v1/public/telemetry")).toMatchObject({ status: 200, body: '"fresh"' });
    world.now = NOW + 10_500;
    // Each cache may have hidden the failure of the next one, so old responses remain cached. The function detects
    // their end.
    expect(await world.get("/v1/public/telemetry")).toMatchObject({
      status: 503,
      headers: { "cache-control": "no-store", "content-length": "29" },
      body: '{"error":"store_unavailable"}',
    });
  });

  test("a response without an end hides a failing origin for a minute", async () => {
    const world = distribution({ tiers: 1 });
    await putResponse(world.store, TELEMETRY_KEY, { status: 200, headers: {}, body: '"offline"' });
    await world.get("/v1/public/telemetry");
    world.down = true;
    world.now = NOW + 60_999;
    expect((await world.get("/v1/public/telemetry")).status).toBe(200);
    world.now = NOW + 61_000;
    expect((await world.get("/v1/public/telemetry")).status).toBe(502);
  });
});
