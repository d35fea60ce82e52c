/** The clock of the shim (docs/spec/publishing.md#clocks). */
import pino from "pino";
import { expect, onTestFinished, test } from "vitest";
import { shimClock } from "../../../../bin/cli/serve/clock.ts";
import { type ClockBounds, shifted } from "../../../../src/object-store/clock-offset.ts";
import type { ObjectStore } from "../../../../src/object-store/object-store.ts";

const START = 1_000_000_000;
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

/** A host whose clocks the test sets, over a store that it is ahead of by `skew` (ms; no clock if absent). */
async function host(skew?: number, fails = false) {
  const state = { wall: START, monotonic: 0 };
  const measureClock = async (now: () => number): Promise<ClockBounds> => {
    if (fails) throw new Error("down");
    return shifted({ least: skew ?? 0, most: skew ?? 0 }, now() - state.wall);
  };
  const store = { name: "s", ...(skew === undefined ? {} : { measureClock }) } as unknown as ObjectStore;
  const system = { wall: () => state.wall, monotonic: () => state.monotonic };
  const clock = await shimClock(store, pino({ level: "silent" }), system);
  onTestFinished(() => clock.stop());
  const pass = (ms: number) => {
    state.wall += ms;
    state.monotonic += ms;
  };
  return { state, clock, pass };
}

test.each([
  [0, 0],
  [2_000, 0],
  [-2_000, 0],
  [2_001, 2_001],
  [90_000, 90_000],
  [-90_000, -90_000],
])("a host that is %i ms ahead of the store is corrected by %i ms", async (skew, corrected) => {
  const { clock, pass } = await host(skew);
  expect([clock.now(), clock.skew()]).toEqual([START - corrected, skew]);
  pass(10 * SECOND);
  expect(clock.now()).toBe(START + 10 * SECOND - corrected);
});

test("a host's clock that is set does not change the time over a store with a clock", async () => {
  const { clock, state } = await host(0);
  state.wall += HOUR;
  expect(clock.now()).toBe(START);
});

test("over a directory the later time counts until the host's clock has been steady for a minute", async () => {
  const { clock, state, pass } = await host();
  state.wall -= HOUR;
  expect(clock.now()).toBe(START);
  pass(30 * SECOND);
  expect(clock.now()).toBe(START + 30 * SECOND);
  state.wall += 2 * HOUR;
  expect(clock.now()).toBe(START + HOUR + 30 * SECOND);
  state.wall -= HOUR;
  expect(clock.now()).toBe(START + 30 * SECOND);
  pass(60 * SECOND);
  expect(clock.now()).toBe(START + 90 * SECOND);
  state.wall -= HOUR;
  clock.now();
  pass(60 * SECOND);
  expect(clock.now()).toBe(START + 150 * SECOND - HOUR);
});
