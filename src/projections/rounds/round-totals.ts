/** Sums over the whole history of the observed rounds, and its best half hour and days. */
import type { Database } from "better-sqlite3";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";
import { forgetTotals, readTotals, writeTotals } from "../follow.ts";

const NAME = "rounds";

/** The greatest value, and the earliest half hour or day that has it. */
export interface Best {
  readonly value: bigint;
  readonly at: number;
}

export interface RoundTotals {
  observed: number;
  work: bigint;
  /** The rounds whose distance is known. */
  distance: bigint;
  activeDays: number;
  firstSlot: number;
  lastSlot: number;
  /** Half hours are numbered from 1970 on, days as in values/noon-day.ts. Undefined if there was nothing above zero. */
  bestHalfHour: Best | undefined;
  bestDay: Best | undefined;
  farthestDay: Best | undefined;
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

/** Undefined before the first observed round. */
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

/** Nothing but a value above zero is a record; a tie goes to the earlier one. Values only grow: facts are never undone. */
export function better(best: Best | undefined, value: bigint, at: number): Best | undefined {
  if (value === 0n) return best;
  if (best === undefined || value > best.value || (value === best.value && at < best.at)) return { value, at };
  return best;
}
