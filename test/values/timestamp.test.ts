import fc from "fast-check";
import { expect, test } from "vitest";
import { EARLIEST, formatTimestamp, LATEST, parseTimestamp } from "../../src/values/timestamp.ts";

const instants = fc.integer({ min: EARLIEST, max: LATEST });

test("a published timestamp is read back as the same instant", () => {
  fc.assert(
    fc.property(instants, (instant) => {
      expect(parseTimestamp(formatTimestamp(instant))).toBe(instant);
    }),
  );
});

test("a changed timestamp is valid only if it equals its own rendering", () => {
  fc.assert(
    fc.property(instants, fc.nat(22), fc.constantFrom(..."0123456789 :-.TZ"), (instant, at, character) => {
      const published = formatTimestamp(instant);
      const text = published.slice(0, at) + character + published.slice(at + 1);
      const date = new Date(text);
      const isOwn = !Number.isNaN(date.getTime()) && date.toISOString() === text && date.getTime() >= EARLIEST;
      expect(parseTimestamp(text)).toBe(isOwn ? date.getTime() : undefined);
    }),
    { numRuns: 1000 },
  );
});

test("an offset moves the instant, digits beyond the millisecond are cut", () => {
  expect(parseTimestamp("2026-11-20T12:00:00.2509+02:00")).toBe(Date.parse("2026-11-20T10:00:00.250Z"));
  expect(parseTimestamp("2026-11-20T00:00:00-23:59")).toBe(Date.parse("2026-11-20T23:59:00Z"));
  expect(parseTimestamp("2026-11-20T10:00:00.9Z")).toBe(Date.parse("2026-11-20T10:00:00.900Z"));
});

test.each([
  "2026-11-20t10:00:00Z",
  "2026-11-20T10:00:00z",
  "2026-11-20 10:00:00Z",
  "2026-11-20T10:00Z",
  "2026-11-20T10:00:00",
  "2026-11-20T24:00:00Z",
  "2026-11-20T23:59:60Z",
  "2026-11-20T23:60:00Z",
  "2026-02-29T00:00:00Z",
  "2026-02-29T00:00:00.000Z",
  "2026-13-01T00:00:00Z",
  "2026-00-10T00:00:00Z",
  "0000-12-31T23:59:59Z",
  "0001-01-01T00:00:00+00:01",
  "9999-12-31T23:59:59-00:01",
  "+02026-11-20T10:00:00.000Z",
  "2026-11-20T10:00:00.Z",
  "2026-11-20T10:00:00,5Z",
  "2026-11-20T10:00:00+0200",
  "2026-11-20T10:00:00Z\n",
  "",
])("%j is no timestamp", (text) => {
  expect(parseTimestamp(text)).toBeUndefined();
});

test("29 February exists in leap years only", () => {
  expect(parseTimestamp("2028-02-29T00:00:00Z")).toBe(Date.parse("2028-02-29T00:00:00Z"));
  expect(parseTimestamp("2100-02-29T00:00:00Z")).toBeUndefined();
});
