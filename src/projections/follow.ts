/**
 * Derives projections: a follower applies the facts of a source in short steps, and its cursor records its position. Each
 * step is one transaction, so work continues after a crash. To rebuild a follower, delete its cursor.
 */
import type { Database } from "better-sqlite3";
import { blockOf } from "../chain/store/read-events.ts";
import { isFileError } from "../sqlite/sqlite-failure.ts";
import { type ReadOnlyDatabase, readRow, readValue, run } from "../sqlite/statement.ts";
import { fromBigintJson, toBigintJson } from "../values/decimal.ts";
import { isSamePosition, type Position, type Source, START } from "../values/source.ts";

export const CURSOR_TABLE = `
-- one row per follower: exactly the facts up to this position of its source are applied
CREATE TABLE cursor (
  name TEXT PRIMARY KEY,
  -- the follower's version; rows of another version are derived again
  version TEXT NOT NULL,
  position TEXT NOT NULL,
  checksum TEXT NOT NULL,
  -- rises with every change of the derived rows
  changes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

export const TOTALS_TABLE = `
-- a follower's totals over all facts: JSON, with a bigint as {"n": "…"}
CREATE TABLE totals (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;

export interface Cursor extends Position {
  readonly version: string;
  readonly changes: number;
}

export interface Follower<Fact> {
  readonly name: string;
  /** Identifies the code and all other inputs of the rows besides the facts. */
  readonly version: string;
  /** Cost of adding or removing one fact, in microseconds. */
  readonly cost: number;
  apply(projections: Database, facts: readonly Fact[]): void;
  /**
   * Removes rows derived from facts after a position, newest first, as far as the budget allows. Returns the `at` of
   * the position that it reached, finally `to`. The rows may come from another version or source.
   */
  rewind(projections: Database, to: Position, budget: StepBudget): string;
}

/** Most facts that one step reads, so that memory stays flat without a budget. */
const FACTS_PER_STEP = 50_000;

/** Takes one step of a follower, at least one fact, and returns true if more remains. */
export function catchUp<Fact>(
  projections: Database,
  source: Source<Fact>,
  follower: Follower<Fact>,
  budget: StepBudget,
): boolean {
  const cursor = readCursor(projections, follower.name);
  const isCurrent = cursor?.version === follower.version;
  const kept = isCurrent ? source.lastCommon(cursor) : START;
  const isKept = isCurrent && isSamePosition(cursor, kept);
  if (isKept && !source.hasMore(kept)) return false;
  const step = projections.transaction((): boolean => {
    const changes = (cursor?.changes ?? 0) + (isKept ? 0 : 1);
    const rewoundTo = isKept ? kept.at : follower.rewind(projections, kept, budget);
    if (rewoundTo !== kept.at) {
      const { version = "", checksum = "" } = cursor ?? {};
      writeCursor(projections, follower.name, { version, at: rewoundTo, checksum, changes });
      return true;
    }
    const most = Math.min(FACTS_PER_STEP, Math.max(1, budget.count(follower.cost)));
    const { facts, through } = source.read(kept, most);
    if (facts.length > 0) follower.apply(projections, facts);
    budget.spend(facts.length * follower.cost);
    const { version } = follower;
    writeCursor(projections, follower.name, { version, ...through, changes: changes + facts.length });
    return source.hasMore(through);
  });
  return step();
}

/** The parts of the projections that cannot be derived, and why. Only responses that read them wait. */
export type Faults = Map<string, unknown>;

/** Runs one part's step. With `faults`, an exception is recorded there, and undoes and ends only this step. */
export function isolated(
  projections: Database,
  part: string,
  faults: Faults | undefined,
  step: () => boolean,
): boolean {
  if (faults === undefined) return step();
  try {
    return projections.transaction(step)();
  } catch (error) {
    if (isFileError(error)) throw error;
    faults.set(part, error);
    return false;
  }
}

/** Returns true if a follower is not at the end of its source. */
export function isBehind(
  projections: ReadOnlyDatabase,
  source: Source<unknown>,
  { name, version }: Pick<Follower<unknown>, "name" | "version">,
): boolean {
  const cursor = readCursor(projections, name);
  if (cursor === undefined || cursor.version !== version) return true;
  return !isSamePosition(cursor, source.lastCommon(cursor)) || source.hasMore(cursor);
}

/** Returns undefined before a follower's first step, and if it must be rebuilt. */
export function readCursor(projections: ReadOnlyDatabase, name: string): Cursor | undefined {
  const sql = "SELECT version, position AS at, checksum, changes FROM cursor WHERE name = ?";
  return readRow<Cursor>(projections, sql, name);
}

function writeCursor(projections: Database, name: string, { version, at, checksum, changes }: Cursor): void {
  const sql = "INSERT OR REPLACE INTO cursor VALUES (?, ?, ?, ?, ?)";
  run(projections, sql, name, version, at, checksum, changes);
}

/** Makes the followers' next steps rebuild what they derived. */
export function deleteCursors(projections: Database, names: readonly string[]): void {
  for (const name of names) run(projections, "DELETE FROM cursor WHERE name = ?", name);
}

/** Returns the totals of a name, with the fields in the order of `empty`; a copy of `empty` if none are stored. */
export function readTotals<Totals extends object>(projections: ReadOnlyDatabase, name: string, empty: Totals): Totals {
  const text = readValue<string>(projections, "SELECT value FROM totals WHERE name = ?", name);
  return text === undefined ? { ...empty } : { ...empty, ...(fromBigintJson(text) as Totals) };
}

export function writeTotals(projections: Database, name: string, totals: object): void {
  run(projections, "INSERT OR REPLACE INTO totals VALUES (?, ?)", name, toBigintJson(totals));
}

export function forgetTotals(projections: Database, name: string): void {
  run(projections, "DELETE FROM totals WHERE name = ?", name);
}

/** Rows that are derived from blocks. */
export interface BlockRows {
  /** Cost of deleting one row, in microseconds. */
  readonly cost: number;
  /** Returns the block of the newest row after skipping the newest `rows`; undefined if there are no more. */
  blockBelow(rows: number): number | undefined;
  /** Returns the number of deleted rows. */
  dropAbove(block: bigint): number;
}

/** Removes the rows above a position of an `eventSource`, newest block first. Returns the `at` that it reached. */
export function rewindBlocks(to: Position, budget: StepBudget, { cost, blockBelow, dropAbove }: BlockRows): string {
  const target = blockOf(to);
  const below = blockBelow(budget.count(cost));
  const through = below === undefined || below <= target ? target : BigInt(below) - 1n;
  budget.spend(cost * dropAbove(through));
  return through <= target ? to.at : String(through);
}

/**
 * Limits one step of long work, so that other work can run in between. It counts work instead of measuring time, so
 * steps are the same on every machine. Costs are those measured on the machine of docs/performance.md.
 */
export class StepBudget {
  #left: number;

  /** In microseconds; unlimited by default. */
  constructor(microseconds = Number.POSITIVE_INFINITY) {
    this.#left = microseconds;
  }

  spend(microseconds: number): void {
    this.#left -= microseconds;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** Returns how many items of one cost fit into the rest of the budget, rounded down. */
  count(microsecondsEach: number): number {
    return Math.max(0, Math.min(Math.floor(this.#left / microsecondsEach), Number.MAX_SAFE_INTEGER));
  }
}
