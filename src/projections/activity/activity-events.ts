/** Stores the events of the activity in order (docs/spec/api.md#activity), and marks the tiles of changed events. */
import type { Database } from "better-sqlite3";
import { type ReadOnlyDatabase, readRows, readValue, readValues, run, statement } from "../../sqlite/statement.ts";
import { type ActivityCategory, type CategoryKey, markTiles } from "./tile-tree.ts";

export const ACTIVITY_TABLES = `
CREATE TABLE activity_event (
  key TEXT PRIMARY KEY,
  -- protocol, players or measurement; every event is also in all
  category TEXT NOT NULL,
  -- null for measurement events
  block_number INTEGER,
  type TEXT NOT NULL,
  -- JSON objects
  source TEXT NOT NULL,
  payload TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX activity_event_by_category ON activity_event (category, key);
CREATE INDEX activity_event_by_block ON activity_event (block_number) WHERE block_number IS NOT NULL;
`;

export interface ActivityEvent {
  readonly key: string;
  readonly type: string;
  readonly source: string;
  readonly payload: string;
}

export interface NewActivityEvent extends CategoryKey {
  readonly blockNumber: bigint | null;
  readonly type: string;
  readonly source: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

export function addActivityEvents(projections: Database, events: readonly NewActivityEvent[]): void {
  const sql = "INSERT INTO activity_event VALUES (?, ?, ?, ?, ?, ?)";
  for (const { key, category, blockNumber, type, source, payload } of events) {
    run(projections, sql, key, category, blockNumber, type, JSON.stringify(source), JSON.stringify(payload));
  }
  markTiles(projections, events);
}

/** Returns the block of the newest chain event after skipping the newest `events`; undefined if there are no more. */
export function chainBlockBelow(projections: ReadOnlyDatabase, events: number): number | undefined {
  const sql = `SELECT block_number FROM activity_event WHERE block_number IS NOT NULL
    ORDER BY block_number DESC LIMIT 1 OFFSET ?`;
  return readValue<number>(projections, sql, events);
}

/** Returns the number of deleted events. */
export function dropChainEventsAbove(projections: Database, block: bigint): number {
  return drop(projections, "block_number > ?", block);
}

export function dropMeasurementEvents(projections: Database): void {
  drop(projections, "category = ?", "measurement");
}

/** Keys at or below `through`, and above `above` or at or above `last`; each bound is optional. */
export interface KeyRange {
  readonly through?: string;
  readonly above?: string;
  readonly last?: string;
}

/** Returns the events of a range, newest first. */
export function readActivityEvents(
  projections: ReadOnlyDatabase,
  category: ActivityCategory,
  { above = "", through = HIGHEST, last }: KeyRange,
): ActivityEvent[] {
  // Use only one lower bound: with two, SQLite would search by one of them and scan for the other.
  const sql = `SELECT key, type, source, payload FROM activity_event
    WHERE ${inCategory(category)} AND key ${last === undefined ? ">" : ">="} ? AND key <= ? ORDER BY key DESC`;
  return readRows<ActivityEvent>(projections, sql, ...categoryArgument(category), last ?? above, through);
}

/** Returns only the keys above `above` and at or below `through`, newest first. */
export function readActivityKeys(
  projections: ReadOnlyDatabase,
  category: ActivityCategory,
  above: string,
  through: string = HIGHEST,
): string[] {
  const sql = `SELECT key FROM activity_event WHERE ${inCategory(category)} AND key > ? AND key <= ? ORDER BY key DESC`;
  return readValues<string>(projections, sql, ...categoryArgument(category), above, through);
}

/** Returns the oldest keys above a key, oldest first. */
export function oldestKeys(
  projections: ReadOnlyDatabase,
  category: ActivityCategory,
  above: string,
  most: number,
): string[] {
  const sql = `SELECT key FROM activity_event WHERE ${inCategory(category)} AND key > ? ORDER BY key LIMIT ${most}`;
  return readValues<string>(projections, sql, ...categoryArgument(category), above);
}

/** Greater than every key, because keys begin with a digit. */
export const HIGHEST = "~";

function inCategory(category: ActivityCategory): string {
  return category === "all" ? "true" : "category = ?";
}

function categoryArgument(category: ActivityCategory): string[] {
  return category === "all" ? [] : [category];
}

function drop(projections: Database, condition: string, argument: string | bigint): number {
  const sql = `DELETE FROM activity_event WHERE ${condition} RETURNING key, category`;
  const dropped = statement<[string | bigint], CategoryKey>(projections, sql).all(argument);
  markTiles(projections, dropped);
  return dropped.length;
}
