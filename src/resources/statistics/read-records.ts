/**
 * docs/spec/api.md#statistics-lifetime, records: of the whole history, each with whether its surroundings are fully
 * covered.
 */

import { type PeakKind, readPeak } from "../../projections/receipts.ts";
import { longestInterval } from "../../projections/rounds/intervals.ts";
import type { Best, RoundTotals } from "../../projections/rounds/round-totals.ts";
import { areComplete, readDay } from "../../projections/rounds/rounds-day.ts";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";
import { noonOf } from "../../values/noon-day.ts";
import { ROUND_SECONDS } from "../../values/round.ts";
import { dayOfSlot, firstSlotOf, SLOTS_PER_HALF_HOUR, slotAt, slotStart } from "../../values/slot.ts";

/** In the order in which they are published. */
export const RECORD_NAMES = [
  "mostWorkHalfHour",
  "mostWorkUtcDay",
  "maximumDailyDistanceMm",
  "peakObservedRpmMilli",
  "peakObservedSpeedMmPerSecond",
  "longestActiveWindowMinutes",
  "longestActiveDayStreak",
] as const;
export type RecordName = (typeof RECORD_NAMES)[number];

export interface RecordFact {
  readonly value: bigint;
  /** Epoch ms. */
  readonly occurredAt: number;
  readonly complete: boolean;
}

export type RecordFacts = Readonly<Record<RecordName, RecordFact | undefined>>;

export function readRecords(projections: ReadOnlyDatabase, totals: RoundTotals): RecordFacts {
  const observed = (slot: number) => {
    const day = readDay(projections, dayOfSlot(slot));
    return day?.rounds[slot - firstSlotOf(day.day)] !== undefined;
  };
  const ofDay = (best: Best | undefined): RecordFact | undefined =>
    best && {
      value: best.value,
      occurredAt: noonOf(best.at),
      complete: areComplete(projections, best.at, best.at),
    };
  const peak = (kind: PeakKind): RecordFact | undefined => {
    const found = readPeak(projections, kind);
    return (
      found && {
        value: BigInt(found.value),
        occurredAt: found.observedAt,
        complete: observed(slotAt(found.observedAt)),
      }
    );
  };
  return {
    mostWorkHalfHour: ofHalfHour(totals.bestHalfHour, observed),
    mostWorkUtcDay: ofDay(totals.bestDay),
    maximumDailyDistanceMm: ofDay(totals.farthestDay),
    peakObservedRpmMilli: peak("rpmMilli"),
    peakObservedSpeedMmPerSecond: peak("speedMmPerSecond"),
    longestActiveWindowMinutes: longestWindow(projections, observed),
    longestActiveDayStreak: longestStreak(projections),
  };
}

function ofHalfHour(best: Best | undefined, observed: (slot: number) => boolean): RecordFact | undefined {
  if (best === undefined) return undefined;
  const slot = best.at * SLOTS_PER_HALF_HOUR;
  const complete = [slot, slot + 1, slot + 2].every(observed);
  return { value: best.value, occurredAt: slotStart(slot), complete };
}

/** Complete where the rounds just before and after it are known not to belong to it. */
function longestWindow(projections: ReadOnlyDatabase, observed: (slot: number) => boolean): RecordFact | undefined {
  const run = longestInterval(projections, "slot");
  if (run === undefined) return undefined;
  return {
    value: BigInt(run.length * (ROUND_SECONDS / 60)),
    occurredAt: slotStart(run.first),
    complete: observed(run.first - 1) && observed(run.first + run.length),
  };
}

function longestStreak(projections: ReadOnlyDatabase): RecordFact | undefined {
  const streak = longestInterval(projections, "day");
  if (streak === undefined) return undefined;
  return {
    value: BigInt(streak.length),
    occurredAt: noonOf(streak.first),
    complete: areComplete(projections, streak.first, streak.first + streak.length - 1),
  };
}
