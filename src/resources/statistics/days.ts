/**
 * `activity` of statistics (docs/spec/api.md#statistics): coverage, summary, typical day, and the window's days. Each
 * day has 48 half hours in the order of the UTC clock.
 */
import type { DayRounds } from "../../projections/rounds/rounds-day.ts";
import { noonDate, noonOf } from "../../values/noon-day.ts";
import { ROUND_MS } from "../../values/round.ts";
import { SLOTS_PER_DAY, SLOTS_PER_HALF_HOUR } from "../../values/slot.ts";
import type { Window } from "./facts.ts";
import { ascendingOf, bps, meanMilli, median } from "./quotients.ts";
import type { Statistics, StatisticsDay } from "./schema.ts";

const BUCKETS = 48;
const BUCKET_MINUTES = 30;

type Bucket = StatisticsDay["buckets"][number];

/** A day's facts, and their sums per half hour in the order of the UTC clock. */
export interface WindowDay {
  readonly day: number;
  /** Rounds of this day that have elapsed by the window's end. */
  readonly expected: number;
  readonly facts: DayRounds | undefined;
  readonly buckets: readonly BucketSum[];
}

interface BucketSum {
  readonly startMinuteUtc: number;
  readonly observed: number;
  readonly work: bigint;
  readonly elapsed: boolean;
}

/** Returns all days of the window, including those without an observed round. */
export function daysOf(window: Window, facts: readonly DayRounds[]): WindowDay[] {
  const byDay = new Map(facts.map((day) => [day.day, day]));
  return Array.from({ length: window.dayCount }, (_, index) => {
    const day = window.firstDay + index;
    const elapsed = Math.floor((window.endAt - noonOf(day)) / ROUND_MS);
    const expected = Math.min(Math.max(elapsed, 0), SLOTS_PER_DAY);
    return { day, expected, facts: byDay.get(day), buckets: bucketsOf(byDay.get(day), expected) };
  });
}

function publishedDay({ day, expected, facts, buckets }: WindowDay): StatisticsDay {
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
    // Buckets start at midnight, and a day's rounds at noon. So buckets before noon hold the second half of its rounds.
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

type Activity = Statistics["activity"];

export function activityOf(days: readonly WindowDay[]): Activity {
  const expected = days.reduce((sum, day) => sum + day.expected, 0);
  const observed = days.reduce((sum, day) => sum + (day.facts?.observed ?? 0), 0);
  const slots = typicalSlots(days);
  return {
    provenance: "accepted_rounds",
    coverage: {
      expectedRoundCount: expected,
      observedRoundCount: observed,
      coverageBps: bps(observed, expected),
      complete: expected > 0 && observed === expected,
    },
    summary: summaryOf(days, slots),
    days: days.map(publishedDay),
    typicalDay: slots.map(({ startMinuteUtc, total, count }) => ({
      startMinuteUtc,
      totalWorkUnits: String(total),
      observedDayCount: count,
      meanWorkMilli: textOrNull(meanMilli(total, count)),
    })),
  };
}

export function textOrNull(value: bigint | null): string | null {
  return value === null ? null : String(value);
}

function summaryOf(days: readonly WindowDay[], slots: readonly TypicalSlot[]): Activity["summary"] {
  const observed = days.flatMap(({ facts }) => facts ?? []);
  const active = observed.filter(({ work }) => work > 0n);
  const work = active.reduce((sum, day) => sum + day.work, 0n);
  const distance = observed.reduce((sum, day) => sum + day.distance, 0n);
  const isMeasured = observed.some(({ measured }) => measured > 0);
  const most = active.reduce((best, day) => (day.work > best.work ? day : best), active[0] ?? { day: 0, work: 0n });
  return {
    observedWorkUnits: String(work),
    observedDistanceMm: String(distance),
    activeDayCount: active.length,
    inactiveDayCount: observed.filter((day) => day.observed === SLOTS_PER_DAY && day.work === 0n).length,
    averageWorkPerActiveDayMilli: textOrNull(meanMilli(work, active.length)),
    medianWorkPerActiveDay: textOrNull(median(ascendingOf(active.map((day) => day.work)))),
    averageDistancePerActiveDayMm: active.length === 0 || !isMeasured ? null : String(distance / BigInt(active.length)),
    mostActiveDateWorkUnits: active.length === 0 ? null : String(most.work),
    mostActiveDate: active.length === 0 ? null : noonDate(most.day),
    peakWindowStartMinuteUtc: peakOf(slots),
  };
}

/** One half hour of the clock, over all days of the window. Only complete buckets count. */
interface TypicalSlot {
  readonly startMinuteUtc: number;
  total: bigint;
  count: number;
}

function typicalSlots(days: readonly WindowDay[]): TypicalSlot[] {
  const slots: TypicalSlot[] = [];
  for (const { buckets } of days) {
    for (const [index, { startMinuteUtc, observed, work }] of buckets.entries()) {
      const slot = (slots[index] ??= { startMinuteUtc, total: 0n, count: 0 });
      if (observed !== SLOTS_PER_HALF_HOUR) continue;
      slot.total += work;
      slot.count += 1;
    }
  }
  return slots;
}

/** Compares the means as fractions, before flooring. Of equal means, the earlier half hour wins. */
function peakOf(slots: readonly TypicalSlot[]): number | null {
  let peak: TypicalSlot | undefined;
  for (const slot of slots) {
    if (slot.total === 0n) continue;
    if (peak === undefined || slot.total * BigInt(peak.count) > peak.total * BigInt(slot.count)) peak = slot;
  }
  return peak?.startMinuteUtc ?? null;
}
