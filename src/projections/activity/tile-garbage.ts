/** Tiles of the store that no head names any more, until they are deleted (docs/spec/publishing.md#deletions). */
import type { Database } from "better-sqlite3";
import { statement } from "../../sqlite/statement.ts";
import type { ActivityCategory } from "./activity-events.ts";

export const TILE_GARBAGE_TABLE = `
-- names that no head uses any more, since when (epoch ms; null: the head without them is not put yet)
CREATE TABLE feed_garbage (
  category TEXT NOT NULL,
  name TEXT NOT NULL,
  since INTEGER,
  PRIMARY KEY (category, name)
) STRICT, WITHOUT ROWID;
`;

export interface GarbageTile {
  readonly category: ActivityCategory;
  readonly name: string;
}

/** From the next head on nothing names it. */
export function addGarbage(projections: Database, category: ActivityCategory, name: string): void {
  statement(projections, "INSERT OR REPLACE INTO feed_garbage VALUES (?, ?, NULL)").run(category, name);
}

/** These names and no others are garbage. */
export function replaceGarbage(projections: Database, category: ActivityCategory, names: readonly string[]): void {
  statement(projections, "DELETE FROM feed_garbage WHERE category = ?").run(category);
  for (const name of names) addGarbage(projections, category, name);
}

/** A head that names none of a category's garbage was put at `at` (epoch ms): from then on they are of no use. */
export function dateGarbage(projections: Database, category: ActivityCategory, at: number): void {
  const undated = statement(projections, "SELECT 1 FROM feed_garbage WHERE category = ? AND since IS NULL LIMIT 1");
  if (undated.get(category) === undefined) return;
  const sql = "UPDATE feed_garbage SET since = ? WHERE category = ? AND since IS NULL";
  statement(projections, sql).run(at, category);
}

/** Those of no use since `before` or longer, at most `most`. */
export function garbageTiles(projections: Database, before: number, most: number): GarbageTile[] {
  const sql = "SELECT category, name FROM feed_garbage WHERE since <= ? ORDER BY since LIMIT ?";
  return statement<[number, number], GarbageTile>(projections, sql).all(before, most);
}

export function isGarbage(projections: Database, category: ActivityCategory, name: string): boolean {
  const sql = "SELECT 1 FROM feed_garbage WHERE category = ? AND name = ?";
  return statement(projections, sql).get(category, name) !== undefined;
}

/** It is no longer in the store, or named again. */
export function forgetGarbage(projections: Database, category: ActivityCategory, name: string): void {
  statement(projections, "DELETE FROM feed_garbage WHERE category = ? AND name = ?").run(category, name);
}
