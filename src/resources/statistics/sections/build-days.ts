/**
 * docs/spec/api.md#statistics, activity.days: the window day by day, each in 48 half hours in the order of the UTC
 * clock.
 */
import type { DayRounds } from "../../../projections/rounds/rounds-day.ts";
import { noonDate, noonOf } from "../../../values/noon-day.ts";
import { ROUND_MS } from "../../../values/round.ts";
import { SLOTS_PER_DAY, SLOTS_PER_HALF_HOUR } from "../../../values/slot.ts";
import type { StatisticsDay } from "../schema.ts";
import type { Window } from "../window.ts";
import { bps } from "./quotients.ts";

const BUCKETS = 48;
const BUCKET_MINUTES = 30;

type Bucket = StatisticsDay["buckets"][number];

/** A day's facts and their sums by half hour, in the order of the UTC clock. */
export interface WindowDay {
  readonly day: number;
  /** Rounds of this day that have elapsed at the window's end. */
  readonly expected: number;
  readonly facts: DayRounds | undefined;
  readonly buckets: readonly BucketSum[];
}

export interface BucketSum {
  readonly startMinuteUtc: number;
  readonly observed: number;
  readonly work: bigint;
  readonly elapsed: boolean;
}

/** All days of the window, those without an observed round too. */
export function daysOf(window: Window, facts: readonly DayRounds[]): WindowDay[] {
  const byDay = new Map(facts.map((day) => [day.day, day]));
  return Array.from({ length: window.dayCount }, (_, index) => {
    const day = window.firstDay + index;
    const elapsed = Math.floor((window.endAt - noonOf(day)) / ROUND_MS);
    const expected = Math.min(Math.max(elapsed, 0), SLOTS_PER_DAY);
    return { day, expected, facts: byDay.get(day), buckets: bucketsOf(byDay.get(day), expected) };
  });
}

export function publishedDay({ day, expected, facts, buckets }: WindowDay): StatisticsDay {
  const observed = facts?.observed ?? 0;
  return {
    date: noonDate(day),
    coverage: {
      expectedRoundCount: expected,
      observedRoundCount: observed,
      coverageBps: bps(observed, expected),
    },
    observedWorkUnits: String(facts?.work ?? 0n),
    distanceMm: facts === undefined || facts.measured === 0 ? null : String(facts.distance),
    buckets: buckets.map(publishedBucket),
  };
}

function bucketsOf(facts: DayRounds | undefined, expected: number): BucketSum[] {
  const rounds = facts?.rounds ?? [];
  return Array.from({ length: BUCKETS }, (_, index) => {
    // The clock begins at midnight, the day's rounds at noon: the slots before noon are those of the day's second half.
    const first = ((index + BUCKETS / 2) % BUCKETS) * SLOTS_PER_HALF_HOUR;
    let observed = 0;
    let work = 0n;
    for (let slot = first; slot < first + SLOTS_PER_HALF_HOUR; slot += 1) {
      const round = rounds[slot];
      if (round === undefined) continue;
      observed += 1;
      work += round;
    }
    return { startMinuteUtc: index * BUCKET_MINUTES, observed, work, elapsed: first < expected };
  });
}

function publishedBucket({ startMinuteUtc, observed, work, elapsed }: BucketSum): Bucket {
  const coverage =
    observed === SLOTS_PER_HALF_HOUR ? "complete" : observed > 0 ? "partial" : elapsed ? "missing" : "future";
  const workUnits = observed === 0 ? null : String(work);
  return { startMinuteUtc, coverage, observedRoundCount: observed as Bucket["observedRoundCount"], workUnits };
}
