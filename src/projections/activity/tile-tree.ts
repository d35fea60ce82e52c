/**
 * How the activity is cut into tiles (docs/spec/publishing.md#tiles): for each category the tiles of events
 * (level 1) and the index tiles over them (level 2), by the key of their newest child. A tile covers the keys from its
 * own newest down to the next older tile's newest; what lies above all of them has no tile yet.
 */
import type { Database } from "better-sqlite3";
import { type ReadOnlyDatabase, readRow, readRows, run } from "../../sqlite/statement.ts";
import { type Follower, readCursor } from "../follow.ts";
import type { ActivityCategory, ActivityChange } from "./activity-events.ts";

export const TILE_TABLES = `
CREATE TABLE activity_tile (
  category TEXT NOT NULL,
  -- 1: events, 2: index; 0: a mark without a tile, that the events above all tiles are to be cut
  level INTEGER NOT NULL,
  -- keys of its newest and its oldest event
  first TEXT NOT NULL,
  last TEXT NOT NULL,
  -- of its body, which is its name in the store; null until it is computed
  hash TEXT,
  -- cut: what it covers has come or gone; hash: its hash is to be computed
  todo TEXT,
  PRIMARY KEY (category, level, first)
) STRICT, WITHOUT ROWID;
CREATE INDEX activity_tile_todo ON activity_tile (category, level, todo, first) WHERE todo IS NOT NULL;
`;

export type TileLevel = 1 | 2;

/** The change of a tile that must be made before anything is planned with it. */
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

  /** The newest of a level. */
  newest(level: TileLevel): TileNode | undefined {
    return this.#one(level, "ORDER BY first DESC LIMIT 1");
  }

  /** The one that covers a key; undefined if the key lies above all. */
  covering(level: TileLevel, key: string): TileNode | undefined {
    return this.#one(level, "AND first >= ? ORDER BY first LIMIT 1", key);
  }

  /** The next older one. */
  olderThan(level: TileLevel, first: string): TileNode | undefined {
    return this.#one(level, "AND first < ? ORDER BY first DESC LIMIT 1", first);
  }

  /** Above one key and at or below another, newest first. */
  between(level: TileLevel, above: string, through: string): TileNode[] {
    return this.#all(level, "AND first > ? AND first <= ? ORDER BY first DESC", above, through);
  }

  /** The oldest above a key, oldest first. */
  oldest(level: TileLevel, above: string, most: number): TileNode[] {
    return this.#all(level, "AND first > ? ORDER BY first LIMIT ?", above, most);
  }

  byHash(hash: string): TileNode | undefined {
    return this.#one(1, "AND hash = ?", hash) ?? this.#one(2, "AND hash = ?", hash);
  }

  /** True if any tile is to be cut or hashed, or the events above all tiles are to be cut. */
  hasTodo(): boolean {
    const sql = "SELECT 1 FROM activity_tile WHERE category = ? AND todo IS NOT NULL LIMIT 1";
    return readRow<number>(this.#db, sql, this.category) !== undefined;
  }

  /** The oldest with which this is to be done. */
  next(level: TileLevel, todo: TileTodo): TileNode | undefined {
    return this.#one(level, "AND todo = ? ORDER BY first LIMIT 1", todo);
  }

  #one(level: TileLevel, rest: string, ...args: string[]): TileNode | undefined {
    return readRow<TileNode>(this.#db, `${SELECT} ${rest}`, this.category, level, ...args);
  }

  #all(level: TileLevel, rest: string, ...args: (string | number)[]): TileNode[] {
    return readRows<TileNode>(this.#db, `${SELECT} ${rest}`, this.category, level, ...args);
  }
}

/** One category's tiles, to be cut. */
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

  /** The events above all tiles may fill another one. */
  mustCutAbove(): void {
    const sql = "INSERT OR IGNORE INTO activity_tile VALUES (?, 0, '', '', NULL, 'cut')";
    run(this.#db, sql, this.category);
  }

  /** They do not, or they were cut. */
  finishAbove(): void {
    run(this.#db, "DELETE FROM activity_tile WHERE category = ? AND level = 0", this.category);
  }

  /** The tile that covers a key must be cut again, if there is one. */
  mustCut(level: TileLevel, key: string): void {
    const tile = this.covering(level, key);
    if (tile === undefined || tile.todo === "cut") return;
    const sql = "UPDATE activity_tile SET todo = 'cut' WHERE category = ? AND level = ? AND first = ?";
    run(this.#db, sql, this.category, level, tile.first);
  }

  setHash({ level, first }: Pick<TileNode, "level" | "first">, hash: string): void {
    const sql = "UPDATE activity_tile SET hash = ?, todo = NULL WHERE category = ? AND level = ? AND first = ?";
    run(this.#db, sql, hash, this.category, level, first);
  }

  remove({ level, first }: TileNode): void {
    const sql = "DELETE FROM activity_tile WHERE category = ? AND level = ? AND first = ?";
    run(this.#db, sql, this.category, level, first);
  }

  removeAll(): void {
    run(this.#db, "DELETE FROM activity_tile WHERE category = ?", this.category);
  }
}

const SELECT = "SELECT level, first, last, hash, todo FROM activity_tile WHERE category = ? AND level = ?";

/**
 * Marks the tiles of a category that cover events which came or went. Marked tiles are cut again after that. `basis` is
 * everything besides the events that the tiles' texts depend on: all are cut again if it is another.
 */
export function tileFollower(category: ActivityCategory, basis: string): Follower<ActivityChange> {
  return {
    name: `activity tiles ${category}`,
    version: basis,
    cost: 15,
    apply(projections, changes) {
      const tree = new TileTree(projections, category);
      for (const { key } of changes) tree.mustCut(1, key);
      tree.mustCutAbove();
    },
    rewind(projections, to) {
      const tree = new TileTree(projections, category);
      tree.removeAll();
      tree.mustCutAbove();
      return to.at;
    },
  };
}

/** Another number if a category may have other events than before; 0 before its tiles are begun. */
export function categoryChanges(projections: ReadOnlyDatabase, category: ActivityCategory): number {
  return readCursor(projections, tileFollower(category, "").name)?.changes ?? 0;
}
