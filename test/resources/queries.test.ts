/** Queries and cursors of observations and activity. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { activityQuery } from "../../src/resources/activity/route.ts";
import {
  decodeObservationCursor,
  encodeObservationCursor,
  observationsLimit,
  observationsQuery,
} from "../../src/resources/observations/route.ts";

test("observation positions and cursors map one to one", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (position) => {
      const cursor = encodeObservationCursor(position);
      expect(cursor).toBe(Buffer.from(String(position)).toString("base64url"));
      expect(decodeObservationCursor(cursor)).toBe(position);
    }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.stringMatching(/^[A-Za-z0-9_-]{1,24}$/)), (text) => {
      const position = decodeObservationCursor(text);
      if (position !== undefined) expect(encodeObservationCursor(position)).toBe(text);
    }),
    { numRuns: 1000 },
  );
});

test("an observation cursor is valid only for a canonical positive safe integer", () => {
  for (const decimal of ["0", "-1", "+1", "01", "1.0", "1e3", " 1", "1 ", "9007199254740992", "", "1\n"]) {
    const cursor = Buffer.from(decimal).toString("base64url");
    expect(decodeObservationCursor(cursor), decimal).toBeUndefined();
  }
  // "MR" decodes to the same byte as "MQ", with stray bits.
  for (const text of ["MQ==", "MQ=", "MR", " MQ", "MQ\n", "M", "MQ.", "!"]) {
    expect(decodeObservationCursor(text), text).toBeUndefined();
  }
  expect(decodeObservationCursor(Buffer.from("9007199254740991").toString("base64url"))).toBe(9007199254740991);
});

test("the observations' limit is Number(value), clamped if it is an integer", () => {
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

test("the first of a repeated observations parameter counts, and only a cursor has to decode", () => {
  expect(observationsQuery("")).toEqual({ after: 0, limit: 100 });
  expect(observationsQuery("limit=3&limit=4&other=1")).toEqual({ after: 0, limit: 3 });
  expect(observationsQuery("limit=%ff&limit=4")).toEqual({ after: 0, limit: 4 });
  expect(observationsQuery("%ff=1&limit=4")).toEqual({ after: 0, limit: 4 });
  expect(observationsQuery("cursor=MQ&cursor=nonsense")).toEqual({ after: 1, limit: 100 });
  expect(observationsQuery("cursor=%4DQ")).toEqual({ after: 1, limit: 100 });
  for (const query of ["cursor", "cursor=", "cursor=%ff", "cursor=%ff&cursor=MQ", "cursor=MQ==", "cursor=MQ+"]) {
    expect(observationsQuery(query), query).toBeUndefined();
  }
  // The form of a position that is not positive, not canonical or not safe, and two cursors of activity.
  const others = "1 MQ= %20MQ MA LTE MDE MS41 MWUz IDE MR OTAwNzE5OTI1NDc0MDk5Mg YWxsOjEyMw cHJvdG9jb2w6MS0yLTM";
  for (const cursor of others.split(" ")) expect(observationsQuery(`cursor=${cursor}`), cursor).toBeUndefined();
});

test("an activity query accepts only its parameters, each once", () => {
  expect(activityQuery("")).toEqual({ category: "all", limit: 40 });
  expect(activityQuery("limit=100&category=players&cursor=a_-9")).toEqual({
    category: "players",
    limit: 100,
    cursor: "a_-9",
  });
  expect(activityQuery(`cursor=${"a".repeat(512)}`)?.cursor).toHaveLength(512);
  const invalid = [
    "category=",
    "category=All",
    "category=all&category=all",
    "limit=",
    "limit=0",
    "limit=101",
    "limit=01",
  ];
  invalid.push("limit=+5", "limit=%2B5", "limit=5.0", "limit=%205", "limit=1e1", "limit=-1", "cursor=", "cursor=a.b");
  invalid.push(
    `cursor=${"a".repeat(513)}`,
    "x=1",
    "x",
    "limit=%ff",
    "%ff",
    "Limit=5",
    "cursor=a&cursor=b",
    "cursor=%C3%A9",
  );
  for (const query of invalid) expect(activityQuery(query), query).toBeUndefined();
});

test("an activity limit is valid if it is a decimal from 1 to 100", () => {
  const valid = new Set(Array.from({ length: 100 }, (_, index) => String(index + 1)));
  fc.assert(
    fc.property(fc.oneof(fc.integer({ min: -5, max: 300 }).map(String), fc.string()), (text) => {
      const read = activityQuery(`limit=${encodeURIComponent(text)}`);
      expect(read?.limit).toBe(valid.has(text) ? Number(text) : undefined);
    }),
  );
});
