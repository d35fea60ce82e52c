import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type StoredObject, StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { activityKey } from "../../../src/resources/activity/route.ts";
import { MODULES_KEY } from "../../../src/resources/modules/route.ts";
import { observationTileKey } from "../../../src/resources/observations/route.ts";
import { PROCESS_KEY } from "../../../src/resources/process/route.ts";
import { TELEMETRY_KEY } from "../../../src/resources/telemetry/route.ts";
import { type EdgeCache, edgeStore } from "../../../src/shim/worker/edge-store.ts";
import { MemoryStore } from "../../support/memory-store.ts";
import { putText } from "../../support/publish-response.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** A cache without expiry: the edge store itself must detect old entries. */
function heldCache(): EdgeCache {
  const held = new Map<string, Response>();
  return {
    match: async (url) => held.get(url)?.clone(),
    put: async (url, response) => void held.set(url, response),
  };
}

function edge(cache = heldCache()) {
  const store = new MemoryStore();
  const clock = { now: 1_000_000 };
  const reader = edgeStore(store, cache, "bucket/public", () => clock.now);
  const get = async (key: string) => textOf(await reader.get(key));
  return { store, clock, reader, get, cache };
}

const textOf = (object: StoredObject | undefined) => new TextDecoder().decode(object?.body);

test.each([
  [PROCESS_KEY, 1_000],
  [activityKey("all"), 5_000],
  [`${activityKey("all")}/tiles/h-1-a`, 5_000],
  [observationTileKey("wheel-1", 0), 1_000],
])("%s is read again after %d ms, and its absence is not cached", async (key, keptMs) => {
  const { store, clock, get, reader } = edge();
  expect(await reader.get(key)).toBeUndefined();
  await putText(store, key, "1");
  expect(await get(key)).toBe("1");
  await putText(store, key, "2");
  clock.now += keptMs - 1;
  expect(await get(key)).toBe("1");
  clock.now += 1;
  expect(await get(key)).toBe("2");
});

test.each([
  [TELEMETRY_KEY, 61_000],
  [MODULES_KEY, 61_000],
  [observationTileKey("wheel-1", 0), 61_000],
  [PROCESS_KEY, 1_000],
  [activityKey("all"), 5_000],
])("a failing store is hidden from %s for %d ms in total", async (key, hiddenMs) => {
  const { store, clock, get } = edge();
  await putText(store, key, "1");
  await get(key);
  store.fail();
  clock.now += hiddenMs - 1;
  expect(await get(key)).toBe("1");
  clock.now += 1;
  await expect(get(key)).rejects.toThrow(StoreUnavailable);
});

test("concurrent requests share a read, and nothing older is served after a fresh one", async () => {
  const { store, reader, get } = edge();
  await putText(store, PROCESS_KEY, "1");
  await Promise.all(Array.from({ length: 64 }, () => get(PROCESS_KEY)));
  expect(store.gets).toHaveLength(1);
  await putText(store, PROCESS_KEY, "2");
  expect(textOf(await reader.get(PROCESS_KEY, { fresh: true }))).toBe("2");
  expect(await get(PROCESS_KEY)).toBe("2");
});

test("a late read does not replace the result of a later one", async () => {
  const { store, clock, cache, get } = edge();
  const object = (text: string, at: number) => ({
    body: new TextEncoder().encode(text),
    contentType: "text/plain",
    metadata: { at: String(at) },
  });
  await store.put(PROCESS_KEY, object("old", 1));
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const slow = edgeStore(
    { get: async (key) => [await store.get(key), await held][0] ?? undefined },
    cache,
    "bucket/public",
    () => clock.now,
  );
  const late = slow.get(PROCESS_KEY);
  await vi.advanceTimersByTimeAsync(0);
  await store.put(PROCESS_KEY, object("new", 2));
  expect(await get(PROCESS_KEY)).toBe("new");
  release();
  expect(textOf(await late)).toBe("new");
  expect(await get(PROCESS_KEY)).toBe("new");
});

test("a read that never ends delays other requests only briefly", async () => {
  const { store, cache, clock } = edge();
  await putText(store, PROCESS_KEY, "1");
  let reads = 0;
  const reader = edgeStore(
    { get: (key) => (reads++ === 0 ? new Promise(() => {}) : store.get(key)) },
    cache,
    "bucket/public",
    () => clock.now,
  );
  void reader.get(PROCESS_KEY);
  await vi.advanceTimersByTimeAsync(0);
  const second = reader.get(PROCESS_KEY);
  await vi.advanceTimersByTimeAsync(249);
  expect(reads).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(textOf(await second)).toBe("1");
});

const never = new Promise<never>(() => {});
const fails = async () => Promise.reject(new Error("internal error"));
const hangs = () => never;

test.each([
  ["fails to match", { match: fails }],
  ["fails to put", { put: fails }],
  ["throws", { match: () => expect.fail(), put: () => expect.fail() }],
  ["hangs at match", { match: hangs }],
  ["hangs at put", { put: hangs }],
  ["hangs within a body", { match: async () => new Response(new ReadableStream({ pull: hangs })) }],
  ["has an empty response", { match: async () => new Response() }],
  ["has a redirect", { match: async () => new Response("", { status: 302 }) }],
  ["has a response whose metadata is no JSON", { match: async () => kept({ "noonmark-metadata": "{" }) }],
  ["has a response of another form", { match: async () => kept({ "noonmark-metadata": '{"source-version":"1"}' }) }],
])("a cache that %s is a miss: the bucket's object is served", async (_, broken: Partial<EdgeCache>) => {
  const { store, get } = edge({ ...heldCache(), ...broken });
  await putText(store, PROCESS_KEY, "1");
  const got = get(PROCESS_KEY);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await got).toBe("1");
});

const kept = (headers: Record<string, string>) =>
  new Response("old", {
    headers: { "content-type": "text/plain", "noonmark-tag": "t", "noonmark-at": "1", ...headers },
  });

test("two deployments in one cache do not read each other's objects", async () => {
  const { store, cache, clock, get } = edge();
  await putText(store, PROCESS_KEY, "1");
  expect(await get(PROCESS_KEY)).toBe("1");
  for (const other of ["bucket/staging", "bucket2/public", "bucket", "bucket/public/v1"]) {
    const staging = edgeStore(new MemoryStore(), cache, other, () => clock.now);
    expect(await staging.get(PROCESS_KEY)).toBeUndefined();
  }
});
