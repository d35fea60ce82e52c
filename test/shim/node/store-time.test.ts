import { expect, test } from "vitest";
import { StoreTime } from "../../../src/shim/node/store-time.ts";

test("a host that is wrong by more than two seconds goes by the store's clock, any other by its own", async () => {
  let skew = 0;
  const time = new StoreTime({ clockSkew: async () => skew }, () => 1_000_000);
  expect(time.now()).toBe(1_000_000);
  for (const [measured, now] of [
    [2000, 1_000_000],
    [-2000, 1_000_000],
    [2001, 997_999],
    [-90_000, 1_090_000],
    [0, 1_000_000],
  ] as const) {
    skew = measured;
    await time.measure();
    expect(time.now()).toBe(now);
  }
});

test("a measurement that fails leaves the last one standing", async () => {
  let fails = false;
  const store = {
    clockSkew: async () => {
      if (fails) throw new Error("down");
      return 5000;
    },
  };
  const time = new StoreTime(store, () => 10_000);
  await time.measure();
  fails = true;
  await expect(time.measure()).rejects.toThrow("down");
  expect(time.now()).toBe(5000);
});
