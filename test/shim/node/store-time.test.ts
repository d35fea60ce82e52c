import { expect, test } from "vitest";
import { StoreTime } from "../../../bin/cli/serve/clock.ts";
import { boundsOf, type ClockBounds, shifted } from "../../../src/object-store/clock-offset.ts";

/** The bounds from one immediate response. The bound nearer to zero is `skew`. */
function around(skew: number): ClockBounds {
  return { least: skew > 0 ? skew : skew - 999, most: skew < 0 ? skew : skew + 999 };
}

/** A host whose clocks the test sets. `measured` is the store's next measurement. */
function host(measured: number) {
  const state = { measured, wall: 1_000_000, monotonic: 0, fails: false };
  const clocks = { wall: () => state.wall, monotonic: () => state.monotonic };
  const measureClock = async (now: () => number) => {
    if (state.fails) throw new Error("down");
    // Relative to the host's clock.
    return shifted(around(state.measured), now() - state.wall);
  };
  const pass = (ms: number) => {
    state.wall += ms;
    state.monotonic += ms;
  };
  return { state, pass, time: new StoreTime({ measureClock }, clocks) };
}

test.each([0, 1, 1_900, -1_900, 90_000, -90_000])("a host that is %i ms ahead uses the store's clock", async (skew) => {
  const { time } = host(skew);
  await time.measure();
  expect(time.now()).toBe(1_000_000 - skew);
});

test("before a measurement the host's own clock is used", () => {
  expect(host(5_000).time.now()).toBe(1_000_000);
});

test("a failed measurement keeps the earlier ones", async () => {
  const { state, time } = host(5_000);
  await time.measure();
  state.fails = true;
  await expect(time.measure()).rejects.toThrow("down");
  expect(time.now()).toBe(995_000);
});

test("if the offset grows, time never goes back, but runs at half speed until it is correct", async () => {
  const { state, pass, time } = host(0);
  await time.measure();
  expect(time.now()).toBe(1_000_000);
  state.measured = 500;
  await time.measure();
  const seen = [time.now()];
  for (let step = 0; step < 12; step++) {
    pass(100);
    seen.push(time.now());
  }
  expect(seen).toEqual(seen.toSorted((one, other) => one - other));
  expect(seen[4]).toBe(1_000_200);
  expect(seen.at(-1)).toBe(1_001_200 - 500);
});

test("a thousand calls in one millisecond do not move the time", async () => {
  const { state, time } = host(0);
  await time.measure();
  const first = time.now();
  state.wall -= 60_000;
  for (let call = 0; call < 1_000; call++) {
    state.monotonic += 0.001;
    time.now();
  }
  expect(time.now() - first).toBeLessThanOrEqual(1);
  for (let call = 0; call < 1_000; call++) {
    state.monotonic += 1;
    time.now();
  }
  expect(time.now() - first).toBeGreaterThanOrEqual(499);
});

test("the offset is the intersection of the last five minutes' bounds", async () => {
  const { state, pass, time } = host(300);
  for (const [measured, skew] of [
    [300, 300],
    [1_100, 1_100],
    [200, 1_100],
    [150, 1_100],
    [200, 1_100],
    [200, 1_100],
    [200, 1_100],
    // The tightest bound was more than five minutes ago.
    [200, 200],
  ] as const) {
    state.measured = measured;
    expect(await time.measure()).toBe(skew);
    pass(60_000);
  }
});

test("a host whose clock is set continues by the store's clock without a measurement", async () => {
  const { state, pass, time } = host(0);
  await time.measure();
  const before = time.now();
  for (const step of [-3_600_000, 3_600_000, 90_000]) {
    state.wall += step;
    pass(1_000);
  }
  // One response leaves an uncertainty of a second.
  expect(time.now() - before).toBeLessThan(4_000);
  expect(time.now() - before).toBeGreaterThanOrEqual(2_000);
});

test("a clock that was set is used immediately, without the earlier measurements", async () => {
  const { state, time } = host(60_000);
  await time.measure();
  state.measured = 0;
  expect(await time.measure()).toBe(0);
  state.measured = -3_000;
  expect(await time.measure()).toBe(-3_000);
});

test("two hosts with any clocks differ by at most a second of the store and the round trip", async () => {
  const measure = (ahead: number, at: number) => boundsOf(at + ahead, Math.floor(at / 1_000) * 1_000, at + ahead);
  for (const [one, other] of [
    [1_900, -1_900],
    [3_800, 0],
    [400, -400],
    [60_000, -60_000],
  ] as const) {
    const times: number[] = [];
    for (const ahead of [one, other]) {
      let at = 0;
      const clocks = { wall: () => at + ahead, monotonic: () => at };
      const time = new StoreTime({ measureClock: async () => measure(0, at) }, clocks);
      for (at of [10_000_137, 10_060_611, 10_120_377]) await time.measure();
      times.push(time.now());
    }
    expect(Math.abs((times[0] ?? 0) - (times[1] ?? 0))).toBeLessThanOrEqual(1_000);
  }
});
