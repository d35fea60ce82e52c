/** The reference's records: docs/spec/api.md#statistics, over the whole history. */
import type { Fact } from "./history.ts";
import { DAY, iso, noonAtOrBefore, type Observed, ROUND, sum } from "./reference-values.ts";

interface Candidate {
  readonly value: bigint;
  readonly start: number;
  readonly complete: boolean;
}

export function recordsOf(observed: readonly Observed[], history: readonly Fact[]): unknown {
  const starts = new Set(observed.map(({ start }) => start));
  const receipts = history.flatMap((fact) => (fact.type === "receipt" ? fact : []));
  const peak = (value: "rpmMilli" | "speedMmPerSecond") =>
    receipts.map((receipt) => ({
      value: BigInt(receipt[value]),
      start: receipt.observedAt,
      complete: starts.has(Math.floor(receipt.observedAt / ROUND) * ROUND),
    }));
  return {
    mostWorkHalfHour: best(groups(observed, (start) => Math.floor(start / (3 * ROUND)) * 3 * ROUND, 3, workOf)),
    mostWorkUtcDay: best(groups(observed, noonAtOrBefore, 144, workOf)),
    maximumDailyDistanceMm: best(groups(observed, noonAtOrBefore, 144, distanceOf)),
    peakObservedRpmMilli: best(peak("rpmMilli")),
    peakObservedSpeedMmPerSecond: best(peak("speedMmPerSecond")),
    longestActiveWindowMinutes: best(activeWindows(observed, starts)),
    longestActiveDayStreak: best(activeStreaks(observed)),
  };
}

/** The earliest occurrence of the greatest positive value. */
function best(candidates: readonly Candidate[]): unknown {
  const most = candidates
    .filter(({ value }) => value > 0n)
    .toSorted((a, b) => (a.value === b.value ? a.start - b.start : a.value > b.value ? -1 : 1))[0];
  if (most === undefined) return null;
  return {
    value: String(most.value),
    occurredAt: iso(most.start),
    coverage: most.complete ? "complete" : "partial",
  };
}

function groups(
  observed: readonly Observed[],
  startOf: (start: number) => number,
  full: number,
  valueOf: (round: Observed) => bigint,
): Candidate[] {
  return [...Map.groupBy(observed, ({ start }) => startOf(start))].map(([start, rounds]) => ({
    value: sum(rounds.map(valueOf)),
    start,
    complete: rounds.length === full,
  }));
}

function workOf({ work }: Observed): bigint {
  return work;
}

function distanceOf({ distance }: Observed): bigint {
  return distance ?? 0n;
}

/** Runs of consecutive active rounds, without gaps. */
function activeWindows(observed: readonly Observed[], starts: ReadonlySet<number>): Candidate[] {
  const active = new Set(observed.filter(({ work }) => work > 0n).map(({ start }) => start));
  return runs(active, ROUND).map(({ start, length }) => ({
    value: BigInt(length * 10),
    start,
    complete: starts.has(start - ROUND) && starts.has(start + length * ROUND),
  }));
}

function activeStreaks(observed: readonly Observed[]): Candidate[] {
  const byDay = Map.groupBy(observed, ({ start }) => noonAtOrBefore(start));
  const active = [...byDay].filter(([, rounds]) => rounds.some(({ work }) => work > 0n)).map(([noon]) => noon);
  return runs(new Set(active), DAY).map(({ start, length }) => ({
    value: BigInt(length),
    start,
    complete: Array.from({ length }, (_, index) => byDay.get(start + index * DAY)?.length).every((n) => n === 144),
  }));
}

function runs(starts: ReadonlySet<number>, step: number): { start: number; length: number }[] {
  return [...starts]
    .filter((start) => !starts.has(start - step))
    .map((start) => {
      let length = 1;
      while (starts.has(start + length * step)) length += 1;
      return { start, length };
    });
}
