/**
 * Stores runs of consecutive active rounds and days as disjoint intervals that never touch. Facts arrive in any order
 * and are never withdrawn, so intervals only grow and join. An index gives the longest with one lookup.
 */
import type { Database } from "better-sqlite3";
import { type ReadOnlyDatabase, readRow, run, statement } from "../../sqlite/statement.ts";

export const INTERVAL_TABLE = `
CREATE TABLE active_interval (
  -- slot or day
  unit TEXT NOT NULL,
  first INTEGER NOT NULL,
  length INTEGER NOT NULL,
  PRIMARY KEY (unit, first)
) STRICT, WITHOUT ROWID;
CREATE INDEX active_interval_longest ON active_interval (unit, length DESC, first);
`;

export type IntervalUnit = "slot" | "day";

export interface Interval {
  readonly first: number;
  readonly length: number;
}

/** Adds distinct ascending numbers, and joins the intervals that they touch. */
export function addToIntervals(db: Database, unit: IntervalUnit, numbers: readonly number[]): void {
  let first: number | undefined;
  let last = Number.NaN;
  for (const number of numbers) {
    if (number !== last + 1) {
      if (first !== undefined) join(db, unit, first, last);
      first = number;
    }
    last = number;
  }
  if (first !== undefined) join(db, unit, first, last);
}

export function forgetIntervals(db: Database): void {
  db.exec("DELETE FROM active_interval");
}

/** Returns the longest interval; ties go to the earliest. */
export function longestInterval(db: ReadOnlyDatabase, unit: IntervalUnit): Interval | undefined {
  const sql = `SELECT first, length FROM active_interval WHERE unit = ?
    ORDER BY length DESC, first LIMIT 1`;
  return readRow<Interval>(db, sql, unit);
}

function join(db: Database, unit: IntervalUnit, first: number, last: number): void {
  const sql = `SELECT first, length FROM active_interval WHERE unit = ? AND first <= ?
    ORDER BY first DESC LIMIT 1`;
  const newest = statement<[string, number], Interval>(db, sql);
  const remove = statement(db, "DELETE FROM active_interval WHERE unit = ? AND first = ?");
  let [from, to] = [first, last];
  // Go down from the last interval that begins at or before `last + 1`, while intervals touch the one being added.
  for (let near = newest.get(unit, last + 1); near !== undefined; ) {
    if (near.first + near.length < from) break;
    remove.run(unit, near.first);
    from = Math.min(from, near.first);
    to = Math.max(to, near.first + near.length - 1);
    near = newest.get(unit, last + 1);
  }
  run(db, "INSERT INTO active_interval VALUES (?, ?, ?)", unit, from, to - from + 1);
}
