/** docs/spec/api.md#statistics, activity: coverage, summary, days and the typical day of the window. */
import { noonDate } from "../../../values/noon-day.ts";
import { SLOTS_PER_DAY, SLOTS_PER_HALF_HOUR } from "../../../values/slot.ts";
import type { Statistics } from "../schema.ts";
import { publishedDay, type WindowDay } from "./build-days.ts";
import { ascendingOf, bps, meanMilli, median } from "./quotients.ts";

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

/** One half hour of the clock over all days of the window; complete buckets only. */
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

/** Means compared as fractions, before any flooring; a tie goes to the earliest by the clock. */
function peakOf(slots: readonly TypicalSlot[]): number | null {
  let peak: TypicalSlot | undefined;
  for (const slot of slots) {
    if (slot.total === 0n) continue;
    if (peak === undefined || slot.total * BigInt(peak.count) > peak.total * BigInt(slot.count)) peak = slot;
  }
  return peak?.startMinuteUtc ?? null;
}
