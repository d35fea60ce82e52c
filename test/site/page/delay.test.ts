import fc from "fast-check";
import { expect, it } from "vitest";
import { delayOf } from "../../../site/page/data/view.ts";

it("waits for its interval while requests succeed", () => {
  expect(delayOf({ every: 10_000, failures: 0 }, 0.9)).toBe(10_000);
});

it("requests at most half as often while they fail, the device every two minutes at least, and honours Retry-After", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(10_000, 20_000, 30_000, 60_000),
      fc.integer({ min: 1, max: 5_000 }),
      fc.option(fc.integer({ min: 0, max: 100_000 }), { nil: undefined }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (every, failures, retryAfter, random) => {
        const delay = delayOf({ every, failures, retryAfter }, random);
        expect(delay).toBeGreaterThanOrEqual(2 * every);
        expect(delay).toBeLessThanOrEqual(120_000);
        expect(delay).toBeGreaterThanOrEqual(Math.min((retryAfter ?? 0) * 1000, 115_000));
      },
    ),
  );
});
