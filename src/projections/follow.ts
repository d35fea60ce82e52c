/**
 * How everything here is derived: a follower takes in the facts of a log, in short steps, and its cursor says how far it
 * is. Each step is one transaction, so a crash leaves a state to go on from. To rebuild a follower, delete its cursor.
 */
import type { Database } from "better-sqlite3";
import { blockOf } from "../chain/store/read-events.ts";
import { type ReadOnlyDatabase, readRow, readValue, run } from "../sqlite/statement.ts";
import { fromBigintJson, toBigintJson } from "../values/decimal.ts";
import { isSamePosition, type Log, type Position, START } from "../values/log.ts";

export const CURSOR_TABLE = `
-- one row for each follower: everything up to this position of its log is in, and nothing after it
CREATE TABLE cursor (
  name TEXT PRIMARY KEY,
  -- the follower's own; what another version has derived is derived again
  version TEXT NOT NULL,
  position TEXT NOT NULL,
  checksum TEXT NOT NULL,
  -- rises with every change of what was derived
  changes INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

export const TOTALS_TABLE = `
-- what a follower adds up over all facts: JSON, in which a bigint is {"n": "…"}
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
  /** A number of the code, and what else its rows depend on besides the facts. */
  readonly version: string;
  /** Cost of one fact that comes or goes, in microseconds. */
  readonly cost: number;
  apply(projections: Database, facts: readonly Fact[]): void;
  /**
   * Removes what came from facts after a position, the newest first, as far as the budget goes. Returns the `at` of the
   * position that it came to, which is `to` in the end. The rows may come from another version or log.
   */
  rewind(projections: Database, to: Position, budget: StepBudget): string;
}

/** Facts that one step reads at most, so that memory stays flat without a budget. */
const FACTS_PER_STEP = 50_000;

/** One step of one follower towards the end of its log, at least one fact; true while there is more. */
export function catchUp<Fact>(
  projections: Database,
  log: Log<Fact>,
  follower: Follower<Fact>,
  budget: StepBudget,
): boolean {
  const cursor = readCursor(projections, follower.name);
  const isCurrent = cursor?.version === follower.version;
  const kept = isCurrent ? log.lastCommon(cursor) : START;
  const isKept = isCurrent && isSamePosition(cursor, kept);
  if (isKept && !log.hasMore(kept)) return false;
  const step = projections.transaction((): boolean => {
    const changes = (cursor?.changes ?? 0) + (isKept ? 0 : 1);
    const rewoundTo = isKept ? kept.at : follower.rewind(projections, kept, budget);
    if (rewoundTo !== kept.at) {
      const { version = "", checksum = "" } = cursor ?? {};
      writeCursor(projections, follower.name, { version, at: rewoundTo, checksum, changes });
      return true;
    }
    const most = Math.min(FACTS_PER_STEP, Math.max(1, budget.count(follower.cost)));
    const { facts, through } = log.read(kept, most);
    if (facts.length > 0) follower.apply(projections, facts);
    budget.spend(facts.length * follower.cost);
    const { version } = follower;
    writeCursor(projections, follower.name, { version, ...through, changes: changes + facts.length });
    return log.hasMore(through);
  });
  return step();
}

/** True if a follower is not at the end of its log. */
export function isBehind(
  projections: ReadOnlyDatabase,
  log: Log<unknown>,
  { name, version }: Pick<Follower<unknown>, "name" | "version">,
): boolean {
  const cursor = readCursor(projections, name);
  if (cursor === undefined || cursor.version !== version) return true;
  return !isSamePosition(cursor, log.lastCommon(cursor)) || log.hasMore(cursor);
}

/** Undefined before the first step of a follower, and if it is to be rebuilt. */
export function readCursor(projections: ReadOnlyDatabase, name: string): Cursor | undefined {
  const sql = "SELECT version, position AS at, checksum, changes FROM cursor WHERE name = ?";
  return readRow<Cursor>(projections, sql, name);
}

function writeCursor(projections: Database, name: string, { version, at, checksum, changes }: Cursor): void {
  const sql = "INSERT OR REPLACE INTO cursor VALUES (?, ?, ?, ?, ?)";
  run(projections, sql, name, version, at, checksum, changes);
}

/** The followers' next steps rebuild what they have derived. */
export function deleteCursors(projections: Database, names: readonly string[]): void {
  for (const name of names) run(projections, "DELETE FROM cursor WHERE name = ?", name);
}

/** The totals under a name, with the fields of `empty` in their order; a copy of `empty` if none are stored. */
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

/** Rows that come from blocks. */
export interface BlockRows {
  /** Cost of one row that goes, in microseconds. */
  readonly cost: number;
  /** The block of the newest row but `rows`; undefined if there are no more rows than these. */
  blockBelow(rows: number): number | undefined;
  /** Returns how many rows went. */
  dropAbove(block: bigint): number;
}

/** Removes the rows above a position of an `eventLog`, from the newest block down. Returns the `at` that it came to. */
export function rewindBlocks(to: Position, budget: StepBudget, { cost, blockBelow, dropAbove }: BlockRows): string {
  const target = blockOf(to);
  const below = blockBelow(budget.count(cost));
  const through = below === undefined || below <= target ? target : BigInt(below) - 1n;
  budget.spend(cost * dropAbove(through));
  return through <= target ? to.at : String(through);
}

/**
 * The limit of one step of a long work, so that other work can run before the next. Work is counted and not timed,
 * so the steps are the same on every machine. Costs are as measured on the machine of docs/performance.md.
 */
export class StepBudget {
  #left: number;

  /** In microseconds; without a limit if all is to be done in one step. */
  constructor(microseconds = Number.POSITIVE_INFINITY) {
    this.#left = microseconds;
  }

  spend(microseconds: number): void {
    this.#left -= microseconds;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** How many things of one cost are left, rounded down. */
  count(microsecondsEach: number): number {
    return Math.max(0, Math.min(Math.floor(this.#left / microsecondsEach), Number.MAX_SAFE_INTEGER));
  }
}
