import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeObservationCursor, encodeObservationCursor } from "../../src/http/observation-cursor.ts";
import { activityQuery, observationsLimit, observationsQuery } from "../../src/http/page-query.ts";
import { parseQuery, uniqueParameters } from "../../src/http/query.ts";

test("a query is split at &, empty pieces dropped, a piece without = has an empty value", () => {
  expect(parseQuery("")).toEqual([]);
  expect(parseQuery("&&")).toEqual([]);
  expect(parseQuery("a")).toEqual([{ name: "a", value: "" }]);
  expect(parseQuery("a=&=b&c=d=e")).toEqual([
    { name: "a", value: "" },
    { name: "", value: "b" },
    { name: "c", value: "d=e" },
  ]);
});

test("pieces decode as forms do, and a half that is not UTF-8 is undefined", () => {
  expect(parseQuery("a+b=%C3%A9")).toEqual([{ name: "a b", value: "é" }]);
  for (const broken of ["%", "%4", "%zz", "%FF", "%C3", "%C0%80", "%ED%A0%80"]) {
    expect(parseQuery(`a=${broken}`), broken).toEqual([{ name: "a", value: undefined }]);
    expect(parseQuery(`${broken}=a`), broken).toEqual([{ name: undefined, value: "a" }]);
  }
});

test("every form URLSearchParams writes is read back", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }))), (pairs) => {
      const written = new URLSearchParams(pairs).toString();
      expect(parseQuery(written)).toEqual(pairs.map(([name, value]) => ({ name, value })));
    }),
  );
});

test("unique parameters: none twice, none that does not decode", () => {
  expect(uniqueParameters("range=7d&queue=1")).toEqual(
    new Map([
      ["range", "7d"],
      ["queue", "1"],
    ]),
  );
  expect(uniqueParameters("range=7d&range=7d")).toBeUndefined();
  expect(uniqueParameters("range=7d&%72ange=7d")).toBeUndefined();
  expect(uniqueParameters("range=7d&x=%ff")).toBeUndefined();
});

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

test("a position has one cursor, and a cursor one position", () => {
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

test("cursors of anything but a canonical positive safe integer are invalid", () => {
  for (const decimal of ["0", "-1", "+1", "01", "1.0", "1e3", " 1", "1 ", "9007199254740992", "", "1\n"]) {
    const cursor = Buffer.from(decimal).toString("base64url");
    expect(decodeObservationCursor(cursor), decimal).toBeUndefined();
  }
  // "MR" decodes to the byte of "MQ" with stray bits behind it.
  for (const text of ["MQ==", "MQ=", "MR", " MQ", "MQ\n", "M", "MQ.", "!"]) {
    expect(decodeObservationCursor(text), text).toBeUndefined();
  }
  expect(decodeObservationCursor(Buffer.from("9007199254740991").toString("base64url"))).toBe(9007199254740991);
});

test("activity queries", () => {
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

test("an activity limit is valid exactly where it is the decimal of 1 to 100", () => {
  const valid = new Set(Array.from({ length: 100 }, (_, index) => String(index + 1)));
  fc.assert(
    fc.property(fc.oneof(fc.integer({ min: -5, max: 300 }).map(String), fc.string()), (text) => {
      const read = activityQuery(`limit=${encodeURIComponent(text)}`);
      expect(read?.limit).toBe(valid.has(text) ? Number(text) : undefined);
    }),
  );
});
