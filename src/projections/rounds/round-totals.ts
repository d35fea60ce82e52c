/** Sums over the whole history of the observed rounds, and its best half hour and days. */
import type { Database } from "better-sqlite3";
import { type ReadOnlyDatabase, statement } from "../../sqlite/statement.ts";

export const ROUND_TOTALS_TABLE = `
CREATE TABLE round_totals (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  observed INTEGER NOT NULL,
  work TEXT NOT NULL,
  distance TEXT NOT NULL,
  active_days INTEGER NOT NULL,
  first_slot INTEGER NOT NULL,
  last_slot INTEGER NOT NULL,
  -- half hours are numbered from 1970 on, days as in values/noon-day.ts; null if there was nothing above zero
  best_half_hour INTEGER,
  best_half_hour_work TEXT,
  best_day INTEGER,
  best_day_work TEXT,
  farthest_day INTEGER,
  farthest_day_distance TEXT
) STRICT;
`;

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
  bestHalfHour: Best | undefined;
  bestDay: Best | undefined;
  farthestDay: Best | undefined;
}

/** Undefined before the first observed round. */
export function readRoundTotals(projections: ReadOnlyDatabase): RoundTotals | undefined {
  const sql = "SELECT * FROM round_totals";
  const row = statement<[], Row>(projections, sql).get();
  return row === undefined
    ? undefined
    : {
        observed: row.observed,
        work: BigInt(row.work),
        distance: BigInt(row.distance),
        activeDays: row.active_days,
        firstSlot: row.first_slot,
        lastSlot: row.last_slot,
        bestHalfHour: bestOf(row.best_half_hour, row.best_half_hour_work),
        bestDay: bestOf(row.best_day, row.best_day_work),
        farthestDay: bestOf(row.farthest_day, row.farthest_day_distance),
      };
}

export function writeRoundTotals(projections: Database, totals: RoundTotals): void {
  const sql = "INSERT OR REPLACE INTO round_totals VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  statement(projections, sql).run(
    totals.observed,
    String(totals.work),
    String(totals.distance),
    totals.activeDays,
    totals.firstSlot,
    totals.lastSlot,
    ...columnsOf(totals.bestHalfHour),
    ...columnsOf(totals.bestDay),
    ...columnsOf(totals.farthestDay),
  );
}

export function forgetRoundTotals(projections: Database): void {
  projections.exec("DELETE FROM round_totals");
}

/** Nothing but a value above zero is a record; a tie goes to the earlier one. Values only grow: facts are never undone. */
export function better(best: Best | undefined, value: bigint, at: number): Best | undefined {
  if (value === 0n) return best;
  if (best === undefined || value > best.value || (value === best.value && at < best.at)) return { value, at };
  return best;
}

function bestOf(at: number | null, value: string | null): Best | undefined {
  return at === null || value === null ? undefined : { value: BigInt(value), at };
}

function columnsOf(best: Best | undefined): [number | null, string | null] {
  return best === undefined ? [null, null] : [best.at, String(best.value)];
}

interface Row {
  readonly observed: number;
  readonly work: string;
  readonly distance: string;
  readonly active_days: number;
  readonly first_slot: number;
  readonly last_slot: number;
  readonly best_half_hour: number | null;
  readonly best_half_hour_work: string | null;
  readonly best_day: number | null;
  readonly best_day_work: string | null;
  readonly farthest_day: number | null;
  readonly farthest_day_distance: string | null;
}
