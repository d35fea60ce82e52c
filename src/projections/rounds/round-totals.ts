/** Stores sums over all observed rounds, and the best half hour and days. */
import type { Database } from "better-sqlite3";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";
import { forgetTotals, readTotals, writeTotals } from "../follow.ts";

const NAME = "rounds";

/** The greatest value, and the earliest half hour or day with that value. */
export interface RecordValue {
  readonly value: bigint;
  readonly at: number;
}

export interface RoundTotals {
  observed: number;
  work: bigint;
  /** Sum over the rounds whose distance is known, in millimetres. */
  distance: bigint;
  activeDays: number;
  firstSlot: number;
  lastSlot: number;
  /** Half hours are numbered from 1970, days as in values/noon-day.ts. Undefined if no value was above zero. */
  bestHalfHour: RecordValue | undefined;
  bestDay: RecordValue | undefined;
  farthestDay: RecordValue | undefined;
}

const EMPTY: RoundTotals = {
  observed: 0,
  work: 0n,
  distance: 0n,
  activeDays: 0,
  firstSlot: Number.POSITIVE_INFINITY,
  lastSlot: Number.NEGATIVE_INFINITY,
  bestHalfHour: undefined,
  bestDay: undefined,
  farthestDay: undefined,
};

/** Returns undefined before the first observed round. */
export function readRoundTotals(projections: ReadOnlyDatabase): RoundTotals | undefined {
  const totals = roundTotalsToAddTo(projections);
  return totals.observed === 0 ? undefined : totals;
}

export function roundTotalsToAddTo(projections: ReadOnlyDatabase): RoundTotals {
  return readTotals(projections, NAME, EMPTY);
}

export function writeRoundTotals(projections: Database, totals: RoundTotals): void {
  writeTotals(projections, NAME, totals);
}

export function forgetRoundTotals(projections: Database): void {
  forgetTotals(projections, NAME);
}

/**
 * Returns the greater of two values. Zero is never a record, and ties go to the earlier one. Records only grow, because
 * facts are never withdrawn.
 */
export function greaterRecord(best: RecordValue | undefined, value: bigint, at: number): RecordValue | undefined {
  if (value === 0n) return best;
  if (best === undefined || value > best.value || (value === best.value && at < best.at)) return { value, at };
  return best;
}
