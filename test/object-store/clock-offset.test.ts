import fc from "fast-check";
import { expect, test } from "vitest";
import { boundsOf, ClockOffset } from "../../src/object-store/clock-offset.ts";

/**
 * A response of a store whose clock is behind ours by `ahead`. It is sent `there` ms after the request, and arrives
 * `back` ms later.
 */
function response(now: number, ahead: number, [there, back]: readonly [number, number]) {
  const date = Math.floor((now + there - ahead) / 1_000) * 1_000;
  return boundsOf(now, date, now + there + back);
}

const trip = fc.tuple(fc.nat(900), fc.nat(900));

test("the true difference is always within the bounds", () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e6, max: 1e6 }), fc.array(fc.tuple(fc.nat(20_000), trip)), (ahead, responses) => {
      const offset = new ClockOffset();
      let now = 1e9;
      for (const [pause, way] of responses) {
        now += pause;
        offset.add(response(now, ahead, way), now);
        const { least = Number.NaN, most = Number.NaN } = offset.bounds ?? {};
        expect(least).toBeLessThanOrEqual(ahead);
        expect(most).toBeGreaterThanOrEqual(ahead);
      }
    }),
  );
});

test("responses from before a clock change or older than five minutes do not count", () => {
  const offset = new ClockOffset();
  offset.add(response(0, 500, [5, 5]), 0);
  offset.add(response(20_000, 90_000, [5, 5]), 20_000);
  expect(offset.bounds?.least).toBeGreaterThan(88_000);
  offset.add(response(30_500, 90_000, [5, 5]), 30_500);
  const tight = offset.bounds;
  offset.add(response(400_000, 90_000, [5, 5]), 400_000);
  expect(offset.bounds).not.toEqual(tight);
  expect(offset.bounds).toEqual(response(400_000, 90_000, [5, 5]));
});
