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

test("a modified timestamp is valid only if it equals its own rendering", () => {
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

test("an offset moves the instant, and digits beyond the millisecond are cut", () => {
  expect(parseTimestamp("2026-11-20T12:00:00.2509+02:00")).toBe(Date.parse("2026-11-20T10:00:00.250Z"));
  expect(parseTimestamp("2026-11-20T00:00:00-23:59")).toBe(Date.parse("2026-11-20T23:59:00Z"));
  expect(parseTimestamp("2026-11-20T10:00:00.9Z")).toBe(Date.parse("2026-11-20T10:00:00.900Z"));
});
