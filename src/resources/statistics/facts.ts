/**
 * Reads the inputs of one statistics body (docs/spec/api.md#statistics) from the projections: about forty rows, however
 * long the history is.
 */

import { areStatisticsBehind } from "../../projections/advance.ts";
import { type PeakKind, readPeak } from "../../projections/receipts.ts";
import { longestInterval } from "../../projections/rounds/intervals.ts";
import { type RecordValue, type RoundTotals, readRoundTotals } from "../../projections/rounds/round-totals.ts";
import { areComplete, type DayRounds, readDay, readDays } from "../../projections/rounds/rounds-day.ts";
import {
  readSubmissionTotals,
  readSubmitted,
  type SubmissionState,
  type SubmissionTotals,
} from "../../projections/settlements/submissions.ts";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";
import { noonDay, noonOf } from "../../values/noon-day.ts";
import { ROUND_SECONDS } from "../../values/round.ts";
import { dayOfSlot, firstSlotOf, SLOTS_PER_HALF_HOUR, slotAt, slotStart } from "../../values/slot.ts";
import { DAYS_OF_RANGE, type StatisticsRange } from "./route.ts";

/** The noon-to-noon days of a range. The last one contains the instant of the body. */
export interface Window {
  readonly dayCount: (typeof DAYS_OF_RANGE)[StatisticsRange];
  /** Day numbers of values/noon-day.ts, both included. */
  readonly firstDay: number;
  readonly lastDay: number;
  /** Epoch ms. */
  readonly startAt: number;
  readonly endAt: number;
}

export function windowOf(range: StatisticsRange, at: number): Window {
  const dayCount = DAYS_OF_RANGE[range];
  const lastDay = noonDay(at);
  const firstDay = lastDay - dayCount + 1;
  return { dayCount, firstDay, lastDay, startAt: noonOf(firstDay), endAt: at };
}

export interface StatisticsFacts {
  readonly installationId: string;
  /** The days of the window, ascending; days without an observed round are missing. */
  readonly days: readonly DayRounds[];
  readonly totals: RoundTotals;
  readonly records: RecordFacts;
  /** Undefined if there has never been a submission. */
  readonly submissions: SubmissionTotals | undefined;
  /** Submissions within the window. */
  readonly submitted: readonly SubmissionState[];
}

/**
 * Returns the facts at `at` (epoch ms); `genesis` is in epoch seconds. Undefined while statistics are rebuilt: the
 * projections are behind the ledger, genesis is unknown or has changed, or no round has been observed.
 */
export function readStatisticsFacts(
  ledger: ReadOnlyDatabase,
  projections: ReadOnlyDatabase,
  options: {
    readonly installationId: string;
    readonly genesis: bigint | undefined;
    readonly range: StatisticsRange;
    readonly at: number;
  },
): StatisticsFacts | undefined {
  const { installationId, genesis, range, at } = options;
  if (areStatisticsBehind(projections, { ledger, installationId, genesis, at })) return undefined;
  const totals = readRoundTotals(projections);
  if (totals === undefined) return undefined;
  const { firstDay, lastDay, startAt, endAt } = windowOf(range, at);
  return {
    installationId,
    days: readDays(projections, firstDay, lastDay),
    totals,
    records: readRecords(projections, totals),
    submissions: readSubmissionTotals(projections),
    submitted: readSubmitted(projections, startAt, endAt),
  };
}

/** In the order of the body (docs/spec/api.md#statistics-lifetime). */
export const RECORD_NAMES = [
  "mostWorkHalfHour",
  "mostWorkUtcDay",
  "maximumDailyDistanceMm",
  "peakObservedRpmMilli",
  "peakObservedSpeedMmPerSecond",
  "longestActiveWindowMinutes",
  "longestActiveDayStreak",
] as const;
type RecordName = (typeof RECORD_NAMES)[number];

export interface RecordFact {
  readonly value: bigint;
  /** Epoch ms. */
  readonly occurredAt: number;
  readonly complete: boolean;
}

export type RecordFacts = Readonly<Record<RecordName, RecordFact | undefined>>;

/** Returns the records of the whole history. A record is `complete` if its time is fully covered. */
function readRecords(projections: ReadOnlyDatabase, totals: RoundTotals): RecordFacts {
  const isObserved = (slot: number) => {
    const day = readDay(projections, dayOfSlot(slot));
    return day?.rounds[slot - firstSlotOf(day.day)] !== undefined;
  };
  const ofDay = (best: RecordValue | undefined): RecordFact | undefined =>
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
        complete: isObserved(slotAt(found.observedAt)),
      }
    );
  };
  return {
    mostWorkHalfHour: ofHalfHour(totals.bestHalfHour, isObserved),
    mostWorkUtcDay: ofDay(totals.bestDay),
    maximumDailyDistanceMm: ofDay(totals.farthestDay),
    peakObservedRpmMilli: peak("rpmMilli"),
    peakObservedSpeedMmPerSecond: peak("speedMmPerSecond"),
    longestActiveWindowMinutes: longestWindow(projections, isObserved),
    longestActiveDayStreak: longestStreak(projections),
  };
}

function ofHalfHour(best: RecordValue | undefined, isObserved: (slot: number) => boolean): RecordFact | undefined {
  if (best === undefined) return undefined;
  const slot = best.at * SLOTS_PER_HALF_HOUR;
  const complete = [slot, slot + 1, slot + 2].every(isObserved);
  return { value: best.value, occurredAt: slotStart(slot), complete };
}

/** Returns the longest interval. It is complete if the rounds just before and after it are observed. */
function longestWindow(projections: ReadOnlyDatabase, isObserved: (slot: number) => boolean): RecordFact | undefined {
  const run = longestInterval(projections, "slot");
  if (run === undefined) return undefined;
  return {
    value: BigInt(run.length * (ROUND_SECONDS / 60)),
    occurredAt: slotStart(run.first),
    complete: isObserved(run.first - 1) && isObserved(run.first + run.length),
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
