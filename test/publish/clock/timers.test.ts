/** The timers of a publisher, with Vitest's clock and timers in place of the system's. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { systemTimers } from "../../../publish/clock/timers.ts";

const START = Date.parse("2026-03-01T00:00:00.500Z");
const YEAR_MS = 365 * 24 * 3_600_000;

let fired: string[];
let stop: () => void;
const cron = (pattern: string) => {
  stop = systemTimers.cron(pattern, () => fired.push(new Date().toISOString()));
};
beforeEach(() => {
  vi.useFakeTimers({ now: START });
  fired = [];
});
afterEach(() => {
  stop();
  vi.useRealTimers();
});

test("a cadence fires at each match, in UTC, until it is stopped", () => {
  cron("*/10 * * * * *");
  vi.advanceTimersByTime(30_000);
  expect(fired).toEqual(["2026-03-01T00:00:10.000Z", "2026-03-01T00:00:20.000Z", "2026-03-01T00:00:30.000Z"]);
  stop();
  vi.advanceTimersByTime(30_000);
  expect(fired).toHaveLength(3);
});

test("after a jump of ten years ahead a cadence of a second fires once, and then each second", () => {
  cron("* * * * * *");
  vi.setSystemTime(START + 10 * YEAR_MS);
  vi.advanceTimersByTime(1_500);
  expect(fired).toEqual(["2036-02-27T00:00:01.000Z", "2036-02-27T00:00:02.000Z"]);
});

test("a match further away than the longest delay of a timer fires once, on its day", () => {
  cron("0 0 12 1 12 *");
  vi.advanceTimersByTime(YEAR_MS);
  expect(fired).toEqual(["2026-12-01T12:00:00.000Z"]);
});

test("a timer that is early by the wall clock waits for its match", () => {
  cron("* * * * * *");
  vi.setSystemTime(START - 100);
  vi.advanceTimersByTime(1_600);
  expect(fired).toEqual(["2026-03-01T00:00:01.000Z", "2026-03-01T00:00:02.000Z"]);
});
