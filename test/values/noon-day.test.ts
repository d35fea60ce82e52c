import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY_MS, noonDate, noonDay, noonOf } from "../../src/values/noon-day.ts";

test("a day starts at noon and ends before the next noon", () => {
  const noon = Date.parse("2026-11-20T12:00:00Z");
  expect(noonDate(noonDay(noon))).toBe("2026-11-20");
  expect(noonDate(noonDay(noon - 1))).toBe("2026-11-19");
  expect(noonDate(noonDay(noon + DAY_MS - 1))).toBe("2026-11-20");
});

test("every instant is within its numbered day, even before 1970", () => {
  fc.assert(
    fc.property(fc.integer({ min: -60_000_000_000_000, max: 250_000_000_000_000 }), (instant) => {
      const day = noonDay(instant);
      expect(noonOf(day)).toBeLessThanOrEqual(instant);
      expect(noonOf(day + 1)).toBeGreaterThan(instant);
    }),
  );
});

test("days are consecutive over 29 February", () => {
  const day = noonDay(Date.parse("2028-02-28T12:00:00Z"));
  expect([noonDate(day), noonDate(day + 1), noonDate(day + 2)]).toEqual(["2028-02-28", "2028-02-29", "2028-03-01"]);
});
