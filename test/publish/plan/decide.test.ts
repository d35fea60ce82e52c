import { expect, test } from "vitest";
import type { KnownObject } from "../../../publish/known-objects.ts";
import { decide } from "../../../publish/plan/decide.ts";
import type { Built } from "../../../src/resources/built.ts";

const ABSENT: KnownObject = {
  key: "k",
  condition: "absent",
  tag: null,
  states: [],
  sourceVersion: { at: 0 },
  status: 0,
  bytes: 0,
  etag: null,
  putAt: 0,
};

/** Online until `until`, then stale. The body contains its build time. */
function aging(until: number, source = "receipt 1"): (at: number) => Built {
  return (at) => {
    const status = at < until ? "online" : "stale";
    const body = JSON.stringify({ generatedAt: at, status, source });
    const built = { status: 200, headers: { etag: `"${status} ${source}"` }, body, stableText: status + source };
    return at < until ? { ...built, nextChangeAt: until } : built;
  };
}

function published(build: (at: number) => Built, at: number): KnownObject {
  const decision = decide(build, ABSENT, at, { force: false });
  if (!decision.put) throw new Error("expected a put for a new response");
  const { states, built } = decision.future;
  return {
    key: "k",
    condition: "stored",
    tag: "t",
    states,
    sourceVersion: { at },
    status: built.status,
    bytes: built.body.length,
    etag: null,
    putAt: at,
  };
}

test("a response that differs only in generatedAt is not rewritten", () => {
  const build = aging(1000);
  expect(decide(build, published(build, 10), 500, { force: false })).toEqual({
    put: false,
    why: "unchanged",
    dueAt: 1000,
    isProvisional: false,
  });
});

test("the successor's exact bytes are put, however late the cycle runs", () => {
  const build = aging(1000);
  const decision = decide(build, published(build, 10), 1777, { force: false });
  expect(decision.put && decision.future.built.body).toBe('{"generatedAt":1000,"status":"stale","source":"receipt 1"}');
});

test("a changed fact gives a response as of now", () => {
  const decision = decide(aging(2000, "receipt 2"), published(aging(1000), 10), 500, { force: false });
  expect(decision).toMatchObject({ put: true, why: "changed", dueAt: 2000 });
  expect(decision.put && decision.future.built.body).toContain('"generatedAt":500');
});

test("no instant is built twice", () => {
  const before = published(aging(1000), 10);
  const instants: number[] = [];
  const build = (at: number) => {
    instants.push(at);
    return aging(2000, "receipt 2")(at);
  };
  expect(decide(build, before, 500, { force: false }).put).toBe(true);
  expect(instants).toEqual([500, 2000]);
});

test("a longer validity is put only after half of the stored one", () => {
  const before = published(aging(1000), 0);
  expect(decide(aging(1100), before, 100, { force: false }).put).toBe(false);
  expect(decide(aging(2500), before, 400, { force: false })).toMatchObject({
    put: true,
    why: "its successors have changed",
  });
});

test("a shorter validity is put immediately", () => {
  expect(decide(aging(900), published(aging(1000), 0), 100, { force: false }).put).toBe(true);
});

test("--force puts an unchanged response as of now", () => {
  const build = aging(1000);
  const decision = decide(build, published(build, 10), 500, { force: true });
  expect(decision.put && decision.future.built.body).toContain('"generatedAt":500');
});

test.each([false, true])("a placeholder never replaces a good response (force: %s)", (force) => {
  const gap = (): Built => ({ status: 503, headers: {}, body: "{}", stableText: "gap", isPlaceholder: true });
  expect(decide(gap, ABSENT, 5, { force }).put).toBe(true);
  expect(decide(gap, published(gap, 0), 5, { force }).put).toBe(force);
  expect(decide(gap, published(aging(1000), 0), 5, { force })).toMatchObject({
    put: false,
    why: "a good response is stored",
  });
});
