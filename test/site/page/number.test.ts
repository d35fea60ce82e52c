import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  amount,
  axisOf,
  distance,
  exactAmount,
  plural,
  scaled,
  share,
  speed,
} from "../../../site/page/words/number.ts";

describe("token amounts", () => {
  it("are whole units with at most two decimals, with every digit available", () => {
    expect(amount("20000000000000000001", 18)).toBe("20");
    expect(exactAmount("20000000000000000001", 18)).toBe("20.000000000000000001");
    expect(amount("1999999999999999999", 18)).toBe("1.99");
    expect(amount("0", 18)).toBe("0");
  });

  it("are not zero if they are smaller than the shown precision", () => {
    expect(amount("1", 18)).toBe("< 0.01");
    expect(amount("9999999999999999", 18)).toBe("< 0.01");
    expect(amount("10000000000000000", 18)).toBe("0.01");
  });
});

it("are exact beyond the range of doubles", () => {
  expect(scaled(2n ** 256n - 1n, 0, 0).replaceAll(/\D/g, "")).toBe(String(2n ** 256n - 1n));
  expect(share(2n ** 255n, 2n ** 256n)).toBe(0.5);
  expect(share(1n, 0n)).toBe(0);
});

it("have units", () => {
  expect([plural("1", "round"), plural(0, "round"), plural("2000", "batch", "batches")]).toEqual([
    "1 round",
    "0 rounds",
    "2,000 batches",
  ]);
  expect([distance(999_999), distance("1000000"), distance("221936775")]).toEqual(["999.9 m", "1 km", "221.93 km"]);
  expect(speed(604)).toBe("0.6 m/s");
});

it("label an axis from 0 to the first round value that is not below the highest one", () => {
  expect(axisOf(0n)).toEqual([0n]);
  expect(axisOf(1n)).toEqual([0n, 1n]);
  expect(axisOf(19_959n)).toEqual([0n, 5_000n, 10_000n, 15_000n, 20_000n]);
  expect(axisOf(9_038n)).toEqual([0n, 5_000n, 10_000n]);
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 256n }), (most) => {
      const axis = axisOf(most);
      expect(axis.length).toBeLessThanOrEqual(5);
      expect(axis.at(-1)).toBeGreaterThanOrEqual(most);
      expect(axis.at(-2)).toBeLessThan(most);
    }),
  );
});
