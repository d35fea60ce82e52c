/** The S3 store with a real server and scripted faults: nothing is put twice, lost, or reported as absent. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { knownHint } from "../../../bin/cli/failures.ts";
import { provenSkew } from "../../../src/object-store/clock-offset.ts";
import { StoreConflict, StoreUnavailable } from "../../../src/object-store/object-store.ts";
import type { S3Store } from "../../../src/object-store/s3/s3-store.ts";
import { keysOf } from "../../object-store/conformance.ts";
import { plain, sample } from "../../object-store/samples.ts";
import { type Fault, type FaultProxy, startFaultProxy } from "../fault-proxy.ts";
import { useS3Server } from "../use-servers.ts";
import { BUCKET, s3Store, sameFolder } from "./s3-store.ts";

const SLOW_DOWN: Fault = { status: 503, code: "SlowDown" };
const INTERNAL: Fault = { status: 500, code: "InternalError" };
const TRANSIENT: readonly Fault[] = [
  INTERNAL,
  SLOW_DOWN,
  "reset",
  { status: 400, code: "RequestTimeout" },
  { status: 429, code: "TooManyRequests" },
];

const server = useS3Server();
let proxy: FaultProxy;
/** Through the proxy, and directly. */
let store: S3Store;
let truth: S3Store;
beforeAll(async () => {
  proxy = await startFaultProxy(server().endpoint);
});
afterAll(() => proxy?.stop());
beforeEach(async () => {
  store = s3Store(server(), { endpoint: proxy.endpoint });
  truth = sameFolder(server(), store);
  proxy.dateShiftMs = 0;
  proxy.headers = {};
  proxy.script();
  await store.probe();
  proxy.seen.length = 0;
});
const textOf = async (key: string) => plain(await truth.get(key))?.body;

test("puts, gets, deletes and lists are repeated after transient failures", async () => {
  for (const fault of TRANSIENT) {
    proxy.script(fault, fault);
    await store.put("k", sample("body"));
    proxy.script(fault);
    expect(plain(await store.get("k"))?.body).toBe("body");
    proxy.script(fault);
    for await (const key of store.list("")) expect(key).toBe("k");
    proxy.script(fault);
    await store.delete("k");
    expect(await truth.get("k")).toBeUndefined();
  }
  expect(proxy.seen).toHaveLength(TRANSIENT.length * (3 + 2 + 2 + 2));
});

test("a put that hangs is abandoned and repeated", async () => {
  proxy.script("silence");
  await store.put("k", sample("body"));
  expect(await textOf("k")).toBe("body");
});

test("a process that was stopped before a put or a deletion does not send it when it resumes", async () => {
  const real = performance.now.bind(performance);
  for (const change of [() => store.put("k", sample("body")), () => store.delete("k")]) {
    let looks = 0;
    // The third clock reading, after those of the call and of its attempt, is the last before anything is sent.
    vi.spyOn(performance, "now").mockImplementation(() => real() + (++looks > 2 ? 20_000 : 0));
    await expect(change()).rejects.toThrow(StoreUnavailable);
    vi.restoreAllMocks();
  }
  expect(proxy.seen).toEqual([]);
});

test("a truncated response is requested again", async () => {
  await truth.put("k", sample("a whole body ".repeat(1000)));
  proxy.script("half");
  expect(plain(await store.get("k"))?.body).toBe("a whole body ".repeat(1000));
});

test("a call ends within its limit with an unknown outcome", async () => {
  const started = performance.now();
  proxy.script(...Array.from({ length: 200 }, (): Fault => SLOW_DOWN));
  await expect(store.put("k", sample("body"))).rejects.toThrow(StoreUnavailable);
  await expect(store.get("k")).rejects.toThrow(/503 SlowDown/);
  expect(performance.now() - started).toBeLessThan(5 * 2 * 4_000);
});

test("Retry-After is waited for, unless it is past the limit", async () => {
  proxy.script({ ...SLOW_DOWN, headers: { "retry-after": "1" } });
  const started = performance.now();
  await store.put("k", sample("body"));
  expect(performance.now() - started).toBeGreaterThanOrEqual(990);
  proxy.seen.length = 0;
  proxy.script({ ...SLOW_DOWN, headers: { "retry-after": "60" } });
  await expect(store.put("k", sample("body"))).rejects.toThrow(StoreUnavailable);
  expect(proxy.seen).toHaveLength(1);
});

for (const fault of ["lost", "lost-500"] as const) {
  test(`a conditional put that was stored but reported ${fault} is recognised as our own`, async () => {
    proxy.script(fault);
    const tag = await store.put("k", sample("first"), { ifAbsent: true });
    expect(proxy.seen.map((line) => line.split(" ")[0])).toEqual(["PUT", "PUT", "GET"]);
    proxy.script(fault);
    await store.put("k", sample("second"), { ifTag: tag });
    expect(await textOf("k")).toBe("second");
  });
}

test("a lost put that another put replaced is a conflict", async () => {
  await truth.put("k", sample("theirs"));
  proxy.script("lost");
  await expect(store.put("k", sample("mine"), { ifAbsent: true })).rejects.toThrow(StoreConflict);
  // Identical bytes and metadata, but from another put.
  await expect(store.put("k", sample("theirs"), { ifAbsent: true })).rejects.toThrow(StoreConflict);
  expect(await textOf("k")).toBe("theirs");
});

test("a 409 is repeated, and is a conflict in the end", async () => {
  const contended: Fault = { status: 409, code: "ConditionalRequestConflict" };
  proxy.script(contended);
  await store.put("k", sample("mine"), { ifAbsent: true });
  proxy.script(contended);
  await expect(store.put("k", sample("other"), { ifAbsent: true })).rejects.toThrow(StoreConflict);
});

test("only a 404 with NoSuchKey is absence, and 403 and a missing bucket are not repeated", async () => {
  for (const [status, code] of [
    [404, "NoSuchBucket"],
    [403, "AccessDenied"],
    [301, "PermanentRedirect"],
  ] as const) {
    proxy.seen.length = 0;
    proxy.script({ status, code });
    await expect(store.get("k")).rejects.toThrow(StoreUnavailable);
    proxy.script({ status, code });
    await expect(store.put("k", sample("body"))).rejects.toThrow(StoreUnavailable);
    expect([code, proxy.seen.length]).toEqual([code, 2]);
  }
  expect(await store.get("k")).toBeUndefined();
});

test("a put whose condition the server cannot evaluate is rejected, never executed without it", async () => {
  proxy.script({ status: 501, code: "NotImplemented" });
  await expect(store.put("k", sample("body"), { ifAbsent: true })).rejects.toThrow(StoreUnavailable);
  expect(await truth.get("k")).toBeUndefined();
});

test("a probe whose first response is lost still determines the server's abilities", async () => {
  const fresh = sameFolder(server(), truth, { endpoint: proxy.endpoint });
  proxy.script("lost");
  await fresh.probe();
});

test("a list that is cut off without a token is unavailable, not the whole store", async () => {
  await truth.put("k", sample("body"));
  const cut = (text: string) => text.replace("<IsTruncated>false<", "<IsTruncated>true<");
  proxy.script({ body: cut });
  await expect(keysOf(store, "")).rejects.toMatchObject({ code: "store_unavailable" });
  expect(await keysOf(store, "")).toEqual(["k"]);
});

test("a store without a clock, and an endpoint that contains the bucket, are found at the start", async () => {
  const fresh = sameFolder(server(), truth, { endpoint: proxy.endpoint });
  proxy.dateShiftMs = null;
  await expect(fresh.probe()).rejects.toThrow(/^clock of s3:.* has no Date$/);
  const doubled = sameFolder(server(), truth, { endpoint: `${server().endpoint}/${BUCKET}` });
  const error = await doubled.probe().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "store_unavailable", isFinal: true });
  expect(knownHint(error)).toContain("the endpoint without the bucket");
});

test("a response that a cache has kept is no clock", async () => {
  const bounds: unknown[] = [];
  store.watchClock(Date.now, (found) => bounds.push(found));
  await truth.put("k", sample("body"));
  proxy.dateShiftMs = -128_000;
  proxy.headers = { age: "128" };
  await store.get("k");
  expect(bounds).toEqual([]);
  await expect(store.measureClock(Date.now)).rejects.toMatchObject({ code: "store_unavailable" });
  proxy.dateShiftMs = 0;
  proxy.headers = { age: "0" };
  await store.get("k");
  expect(bounds).toHaveLength(1);
});

test("the clock is asked for with a key that no cache can have", async () => {
  await store.measureClock(Date.now);
  await store.measureClock(Date.now);
  expect(new Set(proxy.seen).size).toBe(2);
});

test("a store's clock is in step within a second, and otherwise ahead or behind", async () => {
  expect(provenSkew(await store.measureClock(Date.now))).toBe(0);
  proxy.dateShiftMs = -90_000;
  expect(provenSkew(await store.measureClock(Date.now))).toBeGreaterThan(45_000);
  expect(provenSkew(await store.measureClock(Date.now))).toBeLessThanOrEqual(91_000);
  proxy.dateShiftMs = 90_000;
  expect(provenSkew(await store.measureClock(Date.now))).toBeLessThan(-45_000);
});
