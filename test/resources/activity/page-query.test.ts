import * as fc from "fast-check";
import { expect, test } from "vitest";
import { activityQuery } from "../../../src/resources/activity/route.ts";

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
