/**
 * The events of the activity in their order (docs/spec/api.md#activity), and a log of keys that came or went, so that a
 * keeper of pages touches only those.
 */
import type { Database } from "better-sqlite3";
import { type ReadOnlyDatabase, readRows, readValue, run, statement } from "../../sqlite/statement.ts";
import { type Log, type Position, START } from "../../values/log.ts";

export const ACTIVITY_TABLES = `
CREATE TABLE activity_event (
  key TEXT PRIMARY KEY,
  -- protocol, players or measurement; every event is in all besides
  category TEXT NOT NULL,
  -- null for measurement
  block_number INTEGER,
  type TEXT NOT NULL,
  -- JSON objects
  source TEXT NOT NULL,
  payload TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX activity_event_by_category ON activity_event (category, key);
CREATE INDEX activity_event_by_block ON activity_event (block_number) WHERE block_number IS NOT NULL;

CREATE TABLE activity_change (
  no INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL,
  category TEXT NOT NULL
) STRICT;
`;

export type EventCategory = "protocol" | "players" | "measurement";
/** The category. */
export type ActivityCategory = EventCategory | "all";

export interface ActivityEvent {
  readonly key: string;
  readonly type: string;
  readonly source: string;
  readonly payload: string;
}

export interface NewActivityEvent {
  readonly key: string;
  readonly category: EventCategory;
  readonly blockNumber: bigint | null;
  readonly type: string;
  readonly source: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

export function addActivityEvent(projections: Database, event: NewActivityEvent): void {
  const { key, category, blockNumber, type, source, payload } = event;
  const sql = "INSERT INTO activity_event VALUES (?, ?, ?, ?, ?, ?)";
  run(projections, sql, key, category, blockNumber, type, JSON.stringify(source), JSON.stringify(payload));
  run(projections, "INSERT INTO activity_change (key, category) VALUES (?, ?)", key, category);
}

/** The block of the newest event of the chain but `events`; undefined if there are no more than these. */
export function chainBlockBelow(projections: ReadOnlyDatabase, events: number): number | undefined {
  const sql = `SELECT block_number FROM activity_event WHERE block_number IS NOT NULL
    ORDER BY block_number DESC LIMIT 1 OFFSET ?`;
  return readValue<number>(projections, sql, events);
}

/** Returns how many went. */
export function dropChainEventsAbove(projections: Database, block: bigint): number {
  return drop(projections, "block_number > ?", block);
}

export function dropMeasurementEvents(projections: Database): void {
  drop(projections, "category = ?", "measurement");
}

/** Keys at or below `through`, and above `above` or at or above `last`; each bound may be left out. */
export interface KeyRange {
  readonly through?: string;
  readonly above?: string;
  readonly last?: string;
}

/** The events of a range, newest first. */
export function readActivityEvents(
  projections: ReadOnlyDatabase,
  category: ActivityCategory,
  { above = "", through = HIGHEST, last }: KeyRange,
): ActivityEvent[] {
  // One lower bound in the statement: of two SQLite searches with the one and reads on to the end for the other.
  const sql = `SELECT key, type, source, payload FROM activity_event
    WHERE ${inCategory(category)} AND key ${last === undefined ? ">" : ">="} ? AND key <= ? ORDER BY key DESC`;
  const events = statement<string[], ActivityEvent>(projections, sql);
  return events.all(...categoryArgument(category), last ?? above, through);
}

/** The newest events of a type, newest first. */
export function newestEvents(
  projections: ReadOnlyDatabase,
  category: EventCategory,
  type: string,
  limit: number,
): ActivityEvent[] {
  const sql = `SELECT key, type, source, payload FROM activity_event
    WHERE category = ? AND type = ? ORDER BY key DESC LIMIT ?`;
  return readRows<ActivityEvent>(projections, sql, category, type, limit);
}

/** The keys alone, of a half-open range: above `above`, at or below `through`. Newest first. */
export function readActivityKeys(
  projections: ReadOnlyDatabase,
  category: ActivityCategory,
  above: string,
  through: string = HIGHEST,
): string[] {
  const sql = `SELECT key FROM activity_event WHERE ${inCategory(category)} AND key > ? AND key <= ? ORDER BY key DESC`;
  const keys = statement<string[], string>(projections, sql).pluck();
  return keys.all(...categoryArgument(category), above, through) as string[];
}

/** The oldest keys above one, oldest first. */
export function oldestKeys(
  projections: ReadOnlyDatabase,
  category: ActivityCategory,
  above: string,
  most: number,
): string[] {
  const sql = `SELECT key FROM activity_event WHERE ${inCategory(category)} AND key > ? ORDER BY key LIMIT ?`;
  const keys = statement<(string | number)[], string>(projections, sql).pluck();
  return keys.all(...categoryArgument(category), above, most) as string[];
}

export interface ActivityChange {
  readonly no: number;
  readonly key: string;
}

/**
 * The changes in a category, oldest first, up to the newest of all categories. At its beginning it has none: a follower that
 * begins there reads the events themselves.
 */
export function activityChangeLog(projections: ReadOnlyDatabase, category: ActivityCategory): Log<ActivityChange> {
  const sql = `SELECT no, key FROM activity_change WHERE no > ? AND ${inCategory(category)} ORDER BY no LIMIT ?`;
  const changes = statement<(string | number)[], ActivityChange>(projections, sql);
  const at = (change: number): Position => ({ at: String(change), checksum: "" });
  return {
    hasMore: (after) => Number(after.at) < newestChange(projections),
    read(after, limit) {
      const isBeginning = after.at === START.at;
      const facts = isBeginning ? [] : changes.all(Number(after.at), ...categoryArgument(category), limit);
      const last = facts.length < limit ? newestChange(projections) : facts.at(-1)?.no;
      return { facts, through: at(last ?? Number(after.at)) };
    },
    // Changes are never taken back.
    lastCommon: (position) => position,
  };
}

/** The number of the newest change, 0 before the first. */
export function newestChange(projections: ReadOnlyDatabase): number {
  return readValue<number>(projections, "SELECT seq FROM sqlite_sequence WHERE name = 'activity_change'") ?? 0;
}

/** Deletes changes that every category has taken in. */
export function forgetChanges(projections: Database, through: number): void {
  run(projections, "DELETE FROM activity_change WHERE no <= ?", through);
}

/** Above every key: keys begin with a digit. */
export const HIGHEST = "~";

function inCategory(category: ActivityCategory): string {
  return category === "all" ? "true" : "category = ?";
}

function categoryArgument(category: ActivityCategory): string[] {
  return category === "all" ? [] : [category];
}

function drop(projections: Database, condition: string, argument: string | bigint): number {
  const log = `INSERT INTO activity_change (key, category) SELECT key, category FROM activity_event WHERE ${condition}`;
  run(projections, log, argument);
  return run(projections, `DELETE FROM activity_event WHERE ${condition}`, argument).changes;
}
