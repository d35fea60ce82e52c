import { expect, test } from "vitest";
import { PROCESS_KEY } from "../../src/resources/process/route.ts";
import { TELEMETRY_KEY, UNKNOWN_TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import type { LifetimeHeader } from "../../src/shim/context.ts";
import { shimContext } from "../../src/shim/context.ts";
import { respond } from "../../src/shim/respond.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { putIndex, putResponse } from "../support/publish-response.ts";
import { putWorld } from "../support/world.ts";

const decoder = new TextDecoder();

function shimOverStore(store = new MemoryStore()) {
  const clocks = { now: 1_000_000, monotonic: 0 };
  const context = shimContext({ store, now: () => clocks.now, monotonic: () => clocks.monotonic });
  const get = async (url: string, ifNoneMatch?: string) => {
    const { status, headers, body } = await respond({ method: "GET", url, ifNoneMatch }, context);
    return { status, headers, body: body === undefined ? undefined : decoder.decode(body) };
  };
  return { store, clocks, context, get };
}

test("an unknown installation needs no read, because index and template are cached for a second", async () => {
  const { store, clocks, get } = shimOverStore();
  await putIndex(store, ["wheel-1"]);
  const body = '{"schemaVersion":1,"installationId":"{installationId}","revision":null,"status":"offline"}';
  await putResponse(store, UNKNOWN_TELEMETRY_KEY, { status: 200, headers: {}, body });
  const path = (id: string) => `/v1/public/installations/${id}/telemetry`;
  expect((await get(path("a:b"))).body).toBe(body.replace("{installationId}", "a:b"));
  const reads = store.gets.length;
  for (const id of ["x", "..x", "__proto__", "constructor"]) {
    expect((await get(path(id))).body).toBe(body.replace("{installationId}", id));
  }
  clocks.monotonic = 999;
  await get(path("y"));
  await get("/v1/public/installations/y/observations");
  expect(store.gets.length).toBe(reads);
  clocks.monotonic = 1000;
  await get(path("y"));
  expect(store.gets.length).toBe(reads + 2);
});

test("an installation's telemetry is 503 while its key holds another installation's, or that of none", async () => {
  const { store, get } = shimOverStore();
  await putIndex(store, ["wheel-1", "wheel-2"], "wheel-2");
  const other = JSON.stringify({ installationId: "wheel-3" });
  for (const body of [other, "{}", "null", "{"]) {
    const stored = { status: 200, headers: {}, body };
    await putResponse(store, TELEMETRY_KEY, stored);
    await putResponse(store, "v1/public/installations/~wheel-1/telemetry", stored);
    for (const id of ["wheel-1", "wheel-2"]) {
      const { status, body: answered } = await get(`/v1/public/installations/${id}/telemetry`);
      expect([body, id, status, answered]).toEqual([body, id, 503, '{"error":"store_unavailable"}']);
    }
    // The configured installation's route has no id to compare with.
    expect((await get("/v1/public/telemetry")).body).toBe(body);
  }
});

test("a cache may keep a response for its edge seconds, and nothing past valid-until", async () => {
  const { store, clocks, context } = shimOverStore();
  const successors = [{ from: 1_003_500, edits: [{ offset: 0, length: 1, text: "b" }] }];
  await putResponse(store, TELEMETRY_KEY, { status: 200, headers: {}, body: "a" }, successors);
  await putResponse(store, PROCESS_KEY, {
    status: 200,
    headers: { etag: '"r"', "cache-control": "no-cache" },
    body: "p",
  });
  const ask = async (url: string, lifetimeHeader: LifetimeHeader, ifNoneMatch?: string) => {
    const { headers } = await respond({ method: "GET", url, ifNoneMatch }, { ...context, lifetimeHeader });
    return [headers["cdn-cache-control"], headers["cache-control"]];
  };
  const telemetry = async () => [
    ...(await ask("/v1/public/telemetry", "cdn-cache-control")),
    ...(await ask("/v1/public/telemetry", "cache-control")),
  ];
  expect(await telemetry()).toEqual([
    "max-age=1, stale-while-revalidate=1, stale-if-error=2",
    undefined,
    undefined,
    "max-age=1, stale-while-revalidate=0, stale-if-error=0",
  ]);
  clocks.now = 1_001_600;
  expect(await telemetry()).toEqual([
    "max-age=1, stale-while-revalidate=0, stale-if-error=0",
    undefined,
    undefined,
    "no-store",
  ]);
  clocks.now = 1_002_600;
  expect(await telemetry()).toEqual(["no-store", undefined, undefined, "no-store"]);
  clocks.now = 1_003_500;
  expect(await telemetry()).toEqual([
    "max-age=1, stale-while-revalidate=1, stale-if-error=60",
    undefined,
    undefined,
    "max-age=1, stale-while-revalidate=1, stale-if-error=60",
  ]);
  for (const tag of [undefined, '"r"']) {
    expect(await ask("/v4/public/process", "cdn-cache-control", tag)).toEqual([
      "max-age=1, stale-while-revalidate=1, stale-if-error=0",
      "no-cache",
    ]);
    expect(await ask("/v4/public/process", "cache-control", tag)).toEqual([
      undefined,
      "max-age=1, stale-while-revalidate=1, stale-if-error=0",
    ]);
  }
  const failing = { ...context, lifetimeHeader: "cdn-cache-control", storeFails: () => true } as const;
  const { headers } = await respond({ method: "GET", url: "/v4/public/process" }, failing);
  expect([headers["cdn-cache-control"], headers["cache-control"]]).toEqual(["no-store", "no-cache"]);
});

test("a page cut from the activity's head is valid as long as the head", async () => {
  const { store, clocks, context } = shimOverStore();
  await putWorld(store, clocks.now);
  clocks.now += 597_000;
  const page = await respond(
    { method: "GET", url: "/v1/public/activity?category=protocol&limit=1" },
    { ...context, lifetimeHeader: "cdn-cache-control" },
  );
  expect([page.status, page.headers["cdn-cache-control"]]).toEqual([
    200,
    "max-age=3, stale-while-revalidate=0, stale-if-error=0",
  ]);
});

test("a published error is kept for a second, and no other one", async () => {
  const { store, clocks, context } = shimOverStore();
  await putWorld(store, clocks.now);
  const keptOf = async (url: string) => {
    const { status, headers } = await respond(
      { method: "GET", url },
      { ...context, lifetimeHeader: "cdn-cache-control" },
    );
    return [status, headers["cdn-cache-control"]];
  };
  expect(await keptOf("/v2/public/stats?range=30d")).toEqual([
    503,
    "max-age=1, stale-while-revalidate=0, stale-if-error=0",
  ]);
  expect(await keptOf("/v2/public/stats")).toEqual([400, "no-store"]);
  expect(await keptOf("/nowhere")).toEqual([404, "no-store"]);
  store.fail();
  expect(await keptOf("/v2/public/stats?range=30d")).toEqual([503, "no-store"]);
});
