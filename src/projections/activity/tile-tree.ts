/**
 * How the activity is cut into tiles (docs/spec/publishing.md#tiles): for each category the tiles of events
 * (level 1) and the index tiles over them (level 2), by the key of their newest child. A tile covers the keys from its
 * own newest down to the next older tile's newest; what lies above all of them has no tile yet.
 */
import type { Database } from "better-sqlite3";
import { type ReadOnlyDatabase, statement } from "../../sqlite/statement.ts";
import type { ActivityCategory } from "./activity-events.ts";

export const TILE_TABLES = `
CREATE TABLE feed_node (
  category TEXT NOT NULL,
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
CREATE INDEX feed_node_todo ON feed_node (category, level, todo, first) WHERE todo IS NOT NULL;

-- what the tiles' texts depend on besides the events, and the changes that have been taken in
CREATE TABLE feed_state (
  category TEXT PRIMARY KEY,
  basis TEXT NOT NULL,
  change_no INTEGER NOT NULL,
  -- rises whenever the feed may be another
  version INTEGER NOT NULL,
  -- 0 while tiles are still to be cut, and nothing may be planned with them
  is_whole INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
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

  /** The one that covers a key; undefined where the key lies above all. */
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

  /** The oldest with which this is to be done. */
  next(level: TileLevel, todo: TileTodo): TileNode | undefined {
    return this.#one(level, "AND todo = ? ORDER BY first LIMIT 1", todo);
  }

  #one(level: TileLevel, rest: string, ...args: string[]): TileNode | undefined {
    return statement<(string | number)[], TileNode>(this.#db, `${SELECT} ${rest}`).get(this.category, level, ...args);
  }

  #all(level: TileLevel, rest: string, ...args: (string | number)[]): TileNode[] {
    return statement<(string | number)[], TileNode>(this.#db, `${SELECT} ${rest}`).all(this.category, level, ...args);
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
    const sql = "INSERT INTO feed_node VALUES (?, ?, ?, ?, ?, ?)";
    statement(this.#db, sql).run(this.category, level, first, last, hash, todo);
  }

  /** The tile that covers a key must be cut again, if there is one. */
  mustCut(level: TileLevel, key: string): void {
    const tile = this.covering(level, key);
    if (tile === undefined || tile.todo === "cut") return;
    const sql = "UPDATE feed_node SET todo = 'cut' WHERE category = ? AND level = ? AND first = ?";
    statement(this.#db, sql).run(this.category, level, tile.first);
  }

  setHash({ level, first }: Pick<TileNode, "level" | "first">, hash: string): void {
    const sql = "UPDATE feed_node SET hash = ?, todo = NULL WHERE category = ? AND level = ? AND first = ?";
    statement(this.#db, sql).run(hash, this.category, level, first);
  }

  remove({ level, first }: TileNode): void {
    const sql = "DELETE FROM feed_node WHERE category = ? AND level = ? AND first = ?";
    statement(this.#db, sql).run(this.category, level, first);
  }

  removeAll(): void {
    statement(this.#db, "DELETE FROM feed_node WHERE category = ?").run(this.category);
  }
}

const SELECT = "SELECT level, first, last, hash, todo FROM feed_node WHERE category = ? AND level = ?";

/** The parameters of the last cut of a category's tiles. */
export interface Tiling {
  readonly basis: string;
  readonly changeNo: number;
  readonly version: number;
  /** False while tiles are still to be cut: nothing may be planned with them. */
  readonly isWhole: boolean;
}

/** Undefined where its tiles have never been begun here. */
export function readTiling(projections: ReadOnlyDatabase, category: ActivityCategory): Tiling | undefined {
  const sql = "SELECT basis, change_no AS changeNo, version, is_whole AS isWhole FROM feed_state WHERE category = ?";
  const row = statement<[string], Omit<Tiling, "isWhole"> & { isWhole: number }>(projections, sql).get(category);
  return row && { ...row, isWhole: row.isWhole === 1 };
}

export function writeTiling(projections: Database, category: ActivityCategory, tiling: Tiling): void {
  const { basis, changeNo, version, isWhole } = tiling;
  const sql = "INSERT OR REPLACE INTO feed_state VALUES (?, ?, ?, ?, ?)";
  statement(projections, sql).run(category, basis, changeNo, version, isWhole ? 1 : 0);
}
