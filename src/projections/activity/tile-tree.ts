/**
 * Stores how the activity is cut into tiles (docs/spec/publishing.md#tiles). Each category has tiles of events (level 1)
 * and index tiles over them (level 2), by the key of their newest child. A tile covers the keys from its newest event
 * down to the next older tile's newest event. Events above all tiles have no tile yet.
 */
import type { Database } from "better-sqlite3";
import { type ReadOnlyDatabase, readRow, readRows, readValue, run } from "../../sqlite/statement.ts";

export const TILE_TABLES = `
CREATE TABLE activity_tile (
  category TEXT NOT NULL,
  -- 1: events, 2: index
  level INTEGER NOT NULL,
  -- keys of the newest and the oldest event
  first TEXT NOT NULL,
  last TEXT NOT NULL,
  -- hash of the body, which is the tile's name in the store; null until computed
  hash TEXT,
  -- cut: its events changed; hash: its hash must be computed; null: nothing to do
  todo TEXT,
  PRIMARY KEY (category, level, first)
) STRICT, WITHOUT ROWID;
CREATE INDEX activity_tile_todo ON activity_tile (category, level, todo, first) WHERE todo IS NOT NULL;

CREATE TABLE activity_category (
  category TEXT PRIMARY KEY,
  -- inputs of the tiles' texts other than the events; null before the first tiles
  basis TEXT,
  -- rises with every event that is added or deleted
  changes INTEGER NOT NULL,
  -- 1 if the events above all tiles may fill another one
  above INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

export type EventCategory = "protocol" | "players" | "measurement";
/** Every event is in one category and in `all`. */
export type ActivityCategory = EventCategory | "all";

export type TileLevel = 1 | 2;

/** Work that a tile needs before it can be used in a plan. */
export type TileTodo = "cut" | "hash";

export interface TileNode {
  readonly level: TileLevel;
  readonly first: string;
  readonly last: string;
  readonly hash: string | null;
  readonly todo: TileTodo | null;
}

/** Reads one category's tiles, of both levels. */
export class TileReader {
  readonly #db: ReadOnlyDatabase;
  protected readonly category: ActivityCategory;

  constructor(projections: ReadOnlyDatabase, category: ActivityCategory) {
    this.#db = projections;
    this.category = category;
  }

  /** Returns the newest tile of a level. */
  newest(level: TileLevel): TileNode | undefined {
    return this.#one(level, "ORDER BY first DESC LIMIT 1");
  }

  /** Returns the tile that covers a key; undefined if the key is above all tiles. */
  covering(level: TileLevel, key: string): TileNode | undefined {
    return this.#one(level, "AND first >= ? ORDER BY first LIMIT 1", key);
  }

  /** Returns the next older tile. */
  olderThan(level: TileLevel, first: string): TileNode | undefined {
    return this.#one(level, "AND first < ? ORDER BY first DESC LIMIT 1", first);
  }

  /** Returns the tiles above one key and at or below another, newest first. */
  between(level: TileLevel, above: string, through: string): TileNode[] {
    return this.#all(level, "AND first > ? AND first <= ? ORDER BY first DESC", above, through);
  }

  /** Returns the oldest tiles above a key, oldest first. */
  oldest(level: TileLevel, above: string, most: number): TileNode[] {
    return this.#all(level, `AND first > ? ORDER BY first LIMIT ${most}`, above);
  }

  byHash(hash: string): TileNode | undefined {
    return this.#one(1, "AND hash = ?", hash) ?? this.#one(2, "AND hash = ?", hash);
  }

  /** Returns true if no tile needs cutting or hashing, no events await a tile, and the tiles have this basis. */
  isDone(basis: string): boolean {
    const category = readRow(
      this.#db,
      "SELECT 1 FROM activity_category WHERE category = ? AND basis = ? AND above = 0",
      this.category,
      basis,
    );
    const todo = "SELECT 1 FROM activity_tile WHERE category = ? AND todo IS NOT NULL LIMIT 1";
    return category !== undefined && readRow(this.#db, todo, this.category) === undefined;
  }

  /** Returns the oldest tile with this `todo`. */
  next(level: TileLevel, todo: TileTodo): TileNode | undefined {
    return this.#one(level, "AND todo = ? ORDER BY first LIMIT 1", todo);
  }

  #one(level: TileLevel, rest: string, ...args: string[]): TileNode | undefined {
    return readRow<TileNode>(this.#db, `${SELECT} ${rest}`, this.category, level, ...args);
  }

  #all(level: TileLevel, rest: string, ...args: string[]): TileNode[] {
    return readRows<TileNode>(this.#db, `${SELECT} ${rest}`, this.category, level, ...args);
  }
}

/** Changes one category's tiles. */
export class TileTree extends TileReader {
  readonly #db: Database;

  constructor(projections: Database, category: ActivityCategory) {
    super(projections, category);
    this.#db = projections;
  }

  insert({ level, first, last, hash, todo }: TileNode): void {
    const sql = "INSERT INTO activity_tile VALUES (?, ?, ?, ?, ?, ?)";
    run(this.#db, sql, this.category, level, first, last, hash, todo);
  }

  /** Deletes all tiles if their basis differs, so that they are cut again from the first event. */
  begin(basis: string): void {
    const sql = "SELECT 1 FROM activity_category WHERE category = ? AND basis = ?";
    if (readRow(this.#db, sql, this.category, basis) !== undefined) return;
    run(this.#db, "DELETE FROM activity_tile WHERE category = ?", this.category);
    this.count(1);
    run(this.#db, "UPDATE activity_category SET basis = ? WHERE category = ?", basis, this.category);
  }

  /** Adds to the category's `changes`, and records that the events above all tiles may fill a tile. */
  count(changes: number): void {
    const sql = `INSERT INTO activity_category VALUES (?, NULL, ?, 1)
      ON CONFLICT DO UPDATE SET changes = changes + excluded.changes, above = 1`;
    run(this.#db, sql, this.category, changes);
  }

  /** Records that the events above all tiles fill no tile. */
  finishAbove(): void {
    run(this.#db, "UPDATE activity_category SET above = 0 WHERE category = ?", this.category);
  }

  /** Marks the tile that covers a key, if any, to be cut again. */
  mustCut(level: TileLevel, key: string): void {
    const tile = this.covering(level, key);
    if (tile === undefined || tile.todo === "cut") return;
    const sql = "UPDATE activity_tile SET todo = 'cut' WHERE category = ? AND level = ? AND first = ?";
    run(this.#db, sql, this.category, level, tile.first);
  }

  /** Stores a tile's hash, which is its name, and clears its `todo`. */
  setHash({ level, first }: Pick<TileNode, "level" | "first">, hash: string): void {
    const sql = "UPDATE activity_tile SET hash = ?, todo = NULL WHERE category = ? AND level = ? AND first = ?";
    run(this.#db, sql, hash, this.category, level, first);
  }

  remove({ level, first }: TileNode): void {
    const sql = "DELETE FROM activity_tile WHERE category = ? AND level = ? AND first = ?";
    run(this.#db, sql, this.category, level, first);
  }
}

const SELECT = "SELECT level, first, last, hash, todo FROM activity_tile WHERE category = ? AND level = ?";

/** The key of an event, and its category besides `all`. */
export interface CategoryKey {
  readonly key: string;
  readonly category: EventCategory;
}

/** Marks the tiles that cover added or deleted events, so that they are cut again. */
export function markTiles(projections: Database, events: readonly CategoryKey[]): void {
  const byCategory: Map<ActivityCategory, readonly CategoryKey[]> = Map.groupBy(events, ({ category }) => category);
  if (events.length > 0) byCategory.set("all", events);
  for (const [category, changed] of byCategory) {
    const tree = new TileTree(projections, category);
    const newest = tree.newest(1)?.first ?? "";
    for (const { key } of changed) if (key <= newest) tree.mustCut(1, key);
    tree.count(changed.length);
  }
}

/** Returns a number that changes whenever the category's events may have changed; 0 before its first event. */
export function categoryChanges(projections: ReadOnlyDatabase, category: ActivityCategory): number {
  return readValue<number>(projections, "SELECT changes FROM activity_category WHERE category = ?", category) ?? 0;
}
