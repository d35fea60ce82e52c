import * as fc from "fast-check";
import { expect, test } from "vitest";
import { observationsLimit, observationsQuery } from "../../../src/resources/observations/route.ts";

test("the observations' limit is Number(value), clamped where it is an integer", () => {
  const cases: [string, number][] = [
    ["", 1],
    ["0", 1],
    ["-5", 1],
    ["-0", 1],
    ["1", 1],
    [" 5 ", 5],
    ["0x10", 16],
    ["0b11", 3],
    ["1e2", 100],
    ["1e1", 10],
    ["99", 99],
    ["100", 100],
    ["101", 100],
    ["1e308", 100],
    ["5.0", 5],
    ["5.5", 100],
    ["Infinity", 100],
    ["-Infinity", 100],
    ["NaN", 100],
    ["abc", 100],
    ["1_0", 100],
    ["10n", 100],
    ["1,0", 100],
    ["\u00a07", 7],
  ];
  for (const [value, limit] of cases) expect(observationsLimit(value), JSON.stringify(value)).toBe(limit);
});

test("whatever the limit's text, the limit is an integer from 1 to 100", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.integer().map(String)), (value) => {
      const limit = observationsLimit(value);
      expect(Number.isInteger(limit) && limit >= 1 && limit <= 100).toBe(true);
      const number = Number(value);
      expect(limit).toBe(Number.isInteger(number) ? Math.max(1, Math.min(100, number)) : 100);
    }),
  );
});

test("of a repeated observations parameter the first counts; what does not decode is passed over, a cursor aside", () => {
  expect(observationsQuery("")).toEqual({ after: 0, limit: 100 });
  expect(observationsQuery("limit=3&limit=4&other=1")).toEqual({ after: 0, limit: 3 });
  expect(observationsQuery("limit=%ff&limit=4")).toEqual({ after: 0, limit: 4 });
  expect(observationsQuery("%ff=1&limit=4")).toEqual({ after: 0, limit: 4 });
  expect(observationsQuery("cursor=MQ&cursor=nonsense")).toEqual({ after: 1, limit: 100 });
  expect(observationsQuery("cursor=%4DQ")).toEqual({ after: 1, limit: 100 });
  for (const query of ["cursor", "cursor=", "cursor=%ff", "cursor=%ff&cursor=MQ", "cursor=MQ==", "cursor=MQ+"]) {
    expect(observationsQuery(query), query).toBeUndefined();
  }
});
