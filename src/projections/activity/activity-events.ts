/** The events of the activity in their order (docs/spec/api.md#activity). What comes or goes marks the tiles that cover it. */
import type { Database } from "better-sqlite3";
import { type ReadOnlyDatabase, readRows, readValue, readValues, run } from "../../sqlite/statement.ts";
import { type ActivityCategory, type CategoryKey, type EventCategory, markTiles } from "./tile-tree.ts";

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
  return readRows<ActivityEvent>(projections, sql, ...categoryArgument(category), last ?? above, through);
}

/** The newest events of a type, newest first. */
export function newestEvents(
  projections: ReadOnlyDatabase,
  category: EventCategory,
  type: string,
  limit: number,
): ActivityEvent[] {
  const sql = `SELECT key, type, source, payload FROM activity_event
    WHERE category = ? AND type = ? ORDER BY key DESC LIMIT ${limit}`;
  return readRows<ActivityEvent>(projections, sql, category, type);
}

/** The keys alone, of a half-open range: above `above`, at or below `through`. Newest first. */
export function readActivityKeys(
  projections: ReadOnlyDatabase,
  category: ActivityCategory,
  above: string,
  through: string = HIGHEST,
): string[] {
  const sql = `SELECT key FROM activity_event WHERE ${inCategory(category)} AND key > ? AND key <= ? ORDER BY key DESC`;
  return readValues<string>(projections, sql, ...categoryArgument(category), above, through);
}

/** The oldest keys above one, oldest first. */
export function oldestKeys(
  projections: ReadOnlyDatabase,
  category: ActivityCategory,
  above: string,
  most: number,
): string[] {
  const sql = `SELECT key FROM activity_event WHERE ${inCategory(category)} AND key > ? ORDER BY key LIMIT ${most}`;
  return readValues<string>(projections, sql, ...categoryArgument(category), above);
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
  const sql = `DELETE FROM activity_event WHERE ${condition} RETURNING key, category`;
  const dropped = readRows<CategoryKey>(projections, sql, argument);
  markTiles(projections, dropped);
  return dropped.length;
}
