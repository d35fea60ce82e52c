/**
 * How the activity feed is cut into tiles (docs/spec/publishing.md#tiles): for each category the tiles of events
 * (level 1) and the index tiles over them (level 2), by the key of their newest child. A tile covers the keys from its
 * own newest down to the next older tile's newest; what lies above all of them has no tile yet.
 */
import type { Database } from "better-sqlite3";
import { statement } from "../../sqlite/statement.ts";
import type { FeedCategory } from "./activity-events.ts";

export const FEED_TABLES = `
CREATE TABLE feed_node (
  category TEXT NOT NULL,
  level INTEGER NOT NULL,
  -- keys of its newest and its oldest event
  first TEXT NOT NULL,
  last TEXT NOT NULL,
  -- of the body of a tile of events
  hash TEXT,
  -- under which it stands in the store, null where it does not yet
  name TEXT,
  PRIMARY KEY (category, level, first)
) STRICT, WITHOUT ROWID;
CREATE INDEX feed_node_unnamed ON feed_node (category, level, first) WHERE name IS NULL;

-- what the tiles' texts depend on besides the events, and the changes that have been taken in
CREATE TABLE feed_state (
  category TEXT PRIMARY KEY,
  basis TEXT NOT NULL,
  change_no INTEGER NOT NULL,
  -- rises whenever the feed may be another
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- names that no head uses any more, since when (epoch ms; null: the head without them is not put yet)
CREATE TABLE feed_garbage (
  category TEXT NOT NULL,
  name TEXT NOT NULL,
  since INTEGER,
  PRIMARY KEY (category, name)
) STRICT, WITHOUT ROWID;
`;

export type FeedLevel = 1 | 2;

export interface FeedNode {
  readonly level: FeedLevel;
  readonly first: string;
  readonly last: string;
  readonly hash: string | null;
  readonly name: string | null;
}

export interface FeedState {
  readonly basis: string;
  readonly changeNo: number;
  readonly version: number;
}

/** One category's tiles, of both levels. */
export class FeedNodes {
  readonly #db: Database;
  readonly #category: FeedCategory;

  constructor(projections: Database, category: FeedCategory) {
    this.#db = projections;
    this.#category = category;
  }

  state(): FeedState | undefined {
    const sql = "SELECT basis, change_no AS changeNo, version FROM feed_state WHERE category = ?";
    return statement<[string], FeedState>(this.#db, sql).get(this.#category);
  }

  setState({ basis, changeNo, version }: FeedState): void {
    const sql = "INSERT OR REPLACE INTO feed_state VALUES (?, ?, ?, ?)";
    statement(this.#db, sql).run(this.#category, basis, changeNo, version);
  }

  /** The newest of a level. */
  newest(level: FeedLevel): FeedNode | undefined {
    return this.#one(level, "ORDER BY first DESC LIMIT 1");
  }

  /** The one that covers a key; undefined where the key lies above all. */
  covering(level: FeedLevel, key: string): FeedNode | undefined {
    return this.#one(level, "AND first >= ? ORDER BY first LIMIT 1", key);
  }

  /** The next older one. */
  olderThan(level: FeedLevel, first: string): FeedNode | undefined {
    return this.#one(level, "AND first < ? ORDER BY first DESC LIMIT 1", first);
  }

  /** Above one key and at or below another, newest first. */
  between(level: FeedLevel, above: string, through: string): FeedNode[] {
    return this.#all(level, "AND first > ? AND first <= ? ORDER BY first DESC", above, through);
  }

  /** Those that are not in the store yet, oldest first. */
  unnamed(level: FeedLevel): FeedNode[] {
    return this.#all(level, "AND name IS NULL ORDER BY first");
  }

  byName(name: string): FeedNode | undefined {
    return this.#one(1, "AND name = ?", name) ?? this.#one(2, "AND name = ?", name);
  }

  insert({ level, first, last, hash, name }: FeedNode): void {
    const sql = "INSERT INTO feed_node VALUES (?, ?, ?, ?, ?, ?)";
    statement(this.#db, sql).run(this.#category, level, first, last, hash, name);
  }

  setName({ level, first }: Pick<FeedNode, "level" | "first">, name: string): void {
    const sql = "UPDATE feed_node SET name = ? WHERE category = ? AND level = ? AND first = ?";
    statement(this.#db, sql).run(name, this.#category, level, first);
    statement(this.#db, "DELETE FROM feed_garbage WHERE category = ? AND name = ?").run(this.#category, name);
  }

  /** Its name, where it has one, is garbage from the next head on. */
  remove({ level, first, name }: FeedNode): void {
    const sql = "DELETE FROM feed_node WHERE category = ? AND level = ? AND first = ?";
    statement(this.#db, sql).run(this.#category, level, first);
    if (name === null) return;
    statement(this.#db, "INSERT OR REPLACE INTO feed_garbage VALUES (?, ?, NULL)").run(this.#category, name);
  }

  /** No tile at all, and nothing of it is garbage: what stands in the store is known from elsewhere. */
  clear(): void {
    statement(this.#db, "DELETE FROM feed_node WHERE category = ?").run(this.#category);
  }

  forgetNames(): void {
    statement(this.#db, "UPDATE feed_node SET name = NULL WHERE category = ?").run(this.#category);
  }

  /** These names and no others are garbage. */
  setGarbage(names: readonly string[]): void {
    statement(this.#db, "DELETE FROM feed_garbage WHERE category = ?").run(this.#category);
    const insert = statement(this.#db, "INSERT INTO feed_garbage VALUES (?, ?, NULL)");
    for (const name of names) insert.run(this.#category, name);
  }

  #one(level: FeedLevel, rest: string, ...args: string[]): FeedNode | undefined {
    return statement<(string | number)[], FeedNode>(this.#db, `${SELECT} ${rest}`).get(this.#category, level, ...args);
  }

  #all(level: FeedLevel, rest: string, ...args: string[]): FeedNode[] {
    return statement<(string | number)[], FeedNode>(this.#db, `${SELECT} ${rest}`).all(this.#category, level, ...args);
  }
}

/** A tile of the store that the feed has no more. */
export interface UnnamedTile {
  readonly category: FeedCategory;
  readonly name: string;
}

/** A head that names none of a category's unnamed tiles was put at `at` (epoch ms): from then on they are of no use. */
export function dateUnnamed(projections: Database, category: FeedCategory, at: number): void {
  const undated = statement(projections, "SELECT 1 FROM feed_garbage WHERE category = ? AND since IS NULL LIMIT 1");
  if (undated.get(category) === undefined) return;
  const sql = "UPDATE feed_garbage SET since = ? WHERE category = ? AND since IS NULL";
  statement(projections, sql).run(at, category);
}

/** Those of no use since `before` or longer, at most `most`. */
export function unnamedTiles(projections: Database, before: number, most: number): UnnamedTile[] {
  const sql = "SELECT category, name FROM feed_garbage WHERE since <= ? ORDER BY since LIMIT ?";
  return statement<[number, number], UnnamedTile>(projections, sql).all(before, most);
}

export function isUnnamed(projections: Database, category: FeedCategory, name: string): boolean {
  const sql = "SELECT 1 FROM feed_garbage WHERE category = ? AND name = ?";
  return statement(projections, sql).get(category, name) !== undefined;
}

/** It is no longer in the store. */
export function forgetUnnamed(projections: Database, category: FeedCategory, name: string): void {
  statement(projections, "DELETE FROM feed_garbage WHERE category = ? AND name = ?").run(category, name);
}

const SELECT = "SELECT level, first, last, hash, name FROM feed_node WHERE category = ? AND level = ?";
