import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StoreDamaged, type StoredObject, StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { PROCESS_KEY } from "../../../src/resources/process/route.ts";
import { TELEMETRY_KEY } from "../../../src/resources/telemetry/route.ts";
import { steadyStore } from "../../../src/shim/node/steady-store.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => void vi.useRealTimers());

type Mode = "well" | "refuses" | "throws at once" | "hangs" | "damaged";

/** A store whose reads do what `mode` says. `release` lets the reads that hang succeed. */
function world() {
  const object: StoredObject = { body: new Uint8Array(1), contentType: "text/plain", tag: "1", metadata: {} };
  const state = { mode: "well" as Mode, asked: 0, release: () => undefined as void };
  const steady = steadyStore(
    {
      get(key) {
        state.asked += 1;
        if (state.mode === "throws at once") throw new StoreUnavailable("it throws");
        if (state.mode === "hangs")
          return new Promise((resolve) => {
            state.release = () => resolve(object);
          });
        if (state.mode === "refuses") return Promise.reject(new StoreUnavailable("it refuses"));
        if (state.mode === "damaged") return Promise.reject(new StoreDamaged(key, "1", "it is damaged", {}));
        return Promise.resolve(object);
      },
    },
    () => performance.now(),
  );
  const get = async (key: string, fresh = false) => {
    try {
      return (await steady.get(key, { fresh })) === object ? "object" : "another";
    } catch (error) {
      return (error as Error).message;
    }
  };
  return Object.assign(state, { steady, get });
}

test("an object that was read is served while the store refuses, as long as caches may hide that", async () => {
  const store = world();
  for (const key of [TELEMETRY_KEY, PROCESS_KEY]) expect(await store.get(key)).toBe("object");
  expect(store.steady.fails()).toBe(false);
  store.mode = "refuses";
  await vi.advanceTimersByTimeAsync(999);
  for (const key of [TELEMETRY_KEY, PROCESS_KEY]) expect(await store.get(key)).toBe("object");
  expect(store.steady.fails()).toBe(true);
  await vi.advanceTimersByTimeAsync(1);
  expect(await store.get(PROCESS_KEY)).toBe("it refuses");
  await vi.advanceTimersByTimeAsync(58_999);
  expect(store.steady.fails()).toBe(false);
  expect(await store.get(TELEMETRY_KEY)).toBe("object");
  await vi.advanceTimersByTimeAsync(1);
  expect(await store.get(TELEMETRY_KEY)).toBe("it refuses");
});

test("a fresh read and a damaged object fail at once", async () => {
  const store = world();
  await store.get(TELEMETRY_KEY);
  store.mode = "refuses";
  expect(await store.get(TELEMETRY_KEY, true)).toBe("it refuses");
  store.mode = "damaged";
  expect(await store.get(TELEMETRY_KEY)).toContain("is damaged");
});

test("a store that hangs is asked once a second, and only the first reader waits", async () => {
  const store = world();
  await store.get(TELEMETRY_KEY);
  store.mode = "hangs";
  const first = store.get(TELEMETRY_KEY);
  await vi.advanceTimersByTimeAsync(500);
  expect(await first).toBe("object");
  expect(store.asked).toBe(2);
  for (let times = 0; times < 5; times++) {
    expect(await store.get(TELEMETRY_KEY)).toBe("object");
    expect(await store.get(PROCESS_KEY)).toContain("no response within 500 ms");
  }
  expect(store.asked).toBe(2);
  await vi.advanceTimersByTimeAsync(1_000);
  for (let times = 0; times < 5; times++) expect(await store.get(TELEMETRY_KEY)).toBe("object");
  expect([store.asked, store.steady.fails()]).toEqual([3, true]);
});

test.each(["refuses", "throws at once"] as const)("a store that was down is asked again after it %s", async (mode) => {
  const store = world();
  store.mode = "hangs";
  const first = store.get(PROCESS_KEY);
  await vi.advanceTimersByTimeAsync(500);
  expect(await first).toContain("no response within 500 ms");
  await vi.advanceTimersByTimeAsync(1_000);
  store.mode = mode;
  expect(await store.get(PROCESS_KEY)).toMatch(/^it (?:refuses|throws)/);
  store.mode = "well";
  expect(await store.get(PROCESS_KEY)).toBe("object");
  expect(await store.get(TELEMETRY_KEY)).toBe("object");
});

test("a read that succeeds late ends the outage", async () => {
  const store = world();
  store.mode = "hangs";
  const first = store.get(PROCESS_KEY);
  await vi.advanceTimersByTimeAsync(500);
  await first;
  store.mode = "well";
  expect(await store.get(TELEMETRY_KEY)).toContain("no response within 500 ms");
  store.release();
  await vi.advanceTimersByTimeAsync(0);
  expect(await store.get(TELEMETRY_KEY)).toBe("object");
});

test("one slow read, while others succeed, is no outage", async () => {
  const store = world();
  store.mode = "hangs";
  const slow = store.get(PROCESS_KEY);
  await vi.advanceTimersByTimeAsync(250);
  store.mode = "well";
  expect(await store.get(TELEMETRY_KEY)).toBe("object");
  await vi.advanceTimersByTimeAsync(250);
  expect(await slow).toContain("no response within 500 ms");
  expect(await store.get(PROCESS_KEY)).toBe("object");
});
