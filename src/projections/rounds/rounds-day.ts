/**
 * Stores the observed rounds of each noon-to-noon day (docs/spec/api.md#statistics-terms): one row per day, so that a
 * window of thirty days reads thirty rows, however long the history.
 */
import type { Database } from "better-sqlite3";
import { type ReadOnlyDatabase, readRow, readRows, run, type Stored, withBigints } from "../../sqlite/statement.ts";
import { SLOTS_PER_DAY } from "../../values/slot.ts";

export const DAY_TABLE = `
CREATE TABLE day_rounds (
  -- number of the day as in values/noon-day.ts
  day INTEGER PRIMARY KEY,
  observed INTEGER NOT NULL,
  work TEXT NOT NULL,
  -- number of rounds with a known distance, and the sum of their distances
  measured INTEGER NOT NULL,
  distance TEXT NOT NULL,
  -- work of the 144 rounds from noon on, separated by commas; empty for a round that is not observed
  rounds TEXT NOT NULL
) STRICT;
CREATE INDEX day_incomplete ON day_rounds (day) WHERE observed < ${SLOTS_PER_DAY};
`;

export interface DayRounds {
  readonly day: number;
  observed: number;
  work: bigint;
  measured: number;
  distance: bigint;
  /** Work of the day's rounds, starting at noon; undefined for a round that is not observed. */
  readonly rounds: (bigint | undefined)[];
}

export function emptyDay(day: number): DayRounds {
  return { day, observed: 0, work: 0n, measured: 0, distance: 0n, rounds: Array(SLOTS_PER_DAY).fill(undefined) };
}

export function forgetDays(projections: Database): void {
  projections.exec("DELETE FROM day_rounds");
}

/** Returns the days between two days, both included, that have an observed round, ascending. */
export function readDays(projections: ReadOnlyDatabase, from: number, to: number): DayRounds[] {
  const sql = `SELECT day, observed, work, measured, distance, rounds FROM day_rounds
    WHERE day BETWEEN ? AND ? ORDER BY day`;
  return readRows<DayRow>(projections, sql, from, to).map(dayOf);
}

export function readDay(projections: ReadOnlyDatabase, day: number): DayRounds | undefined {
  return readDays(projections, day, day)[0];
}

export function writeDay(projections: Database, day: DayRounds): void {
  const rounds = day.rounds.map((work) => (work === undefined ? "" : String(work))).join(",");
  run(
    projections,
    "INSERT OR REPLACE INTO day_rounds VALUES (?, ?, ?, ?, ?, ?)",
    day.day,
    day.observed,
    String(day.work),
    day.measured,
    String(day.distance),
    rounds,
  );
}

/** Returns true if every stored day between two days is complete. Days without observed rounds are ignored. */
export function areComplete(projections: ReadOnlyDatabase, from: number, to: number): boolean {
  const sql = `SELECT 1 FROM day_rounds WHERE day BETWEEN ? AND ? AND observed < ${SLOTS_PER_DAY}`;
  return readRow(projections, `${sql} LIMIT 1`, from, to) === undefined;
}

type DayRow = Omit<Stored<DayRounds>, "rounds"> & { readonly rounds: string };

function dayOf(row: DayRow): DayRounds {
  const rounds = row.rounds.split(",").map((work) => (work === "" ? undefined : BigInt(work)));
  return withBigints<DayRounds>({ ...row, rounds }, "work", "distance");
}
