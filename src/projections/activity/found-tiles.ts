/**
 * What a publisher that does not remember the activity feed has found of it in the store, until the next plan takes it
 * over: a state directory that was lost, or a lease that somebody else has held since, costs no tile.
 */
import type { Database } from "better-sqlite3";
import { statement } from "../../sqlite/statement.ts";
import type { ActivityCategory } from "./activity-events.ts";

export const FOUND_TILES_TABLE = `
-- JSON of what was found and not taken over yet
CREATE TABLE feed_found (
  category TEXT PRIMARY KEY,
  found TEXT NOT NULL,
  -- whether the tree has been begun from it: what is left is to see which of its tiles are in the store
  begun INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

export interface FoundTile {
  readonly name: string;
  /** The key of its oldest event. */
  readonly last: string;
}

/** How a published feed is cut; newest first, as is all of this. */
export interface FoundCut {
  /** The key of the oldest event that has no tile; null where every event has one. */
  readonly oldestRecent: string | null;
  /** Those that no index tile names. */
  readonly tiles: readonly FoundTile[];
  /** The tiles of each index tile. */
  readonly indexes: readonly (readonly FoundTile[])[];
}

export interface FoundActivity {
  /** Of every tile in the store, whether or not a head leads to it. */
  readonly names: readonly string[];
  /** Null where no head says it: none was ever put, or the feed was unavailable. */
  readonly cut: FoundCut | null;
}

export const NOTHING_FOUND: FoundActivity = { names: [], cut: null };

export function foundActivity(projections: Database, category: ActivityCategory): FoundActivity | undefined {
  const sql = "SELECT found FROM feed_found WHERE category = ?";
  const text = statement<[string], string>(projections, sql).pluck().get(category) as string | undefined;
  return text === undefined ? undefined : (JSON.parse(text) as FoundActivity);
}

export function isFound(projections: Database, category: ActivityCategory): boolean {
  return readBegun(projections, category) !== undefined;
}

/** Undefined where the tree has been begun from it, too. */
export function newlyFound(projections: Database, category: ActivityCategory): FoundActivity | undefined {
  return readBegun(projections, category) === 0 ? foundActivity(projections, category) : undefined;
}

export function setFoundBegun(projections: Database, category: ActivityCategory): void {
  statement(projections, "UPDATE feed_found SET begun = 1 WHERE category = ?").run(category);
}

/** Of a cut that was found before and not taken over, the first word counts: heads without one were put since. */
export function rememberFound(projections: Database, category: ActivityCategory, { names, cut }: FoundActivity): void {
  const found: FoundActivity = { names, cut: cut ?? foundActivity(projections, category)?.cut ?? null };
  const sql = "INSERT OR REPLACE INTO feed_found VALUES (?, ?, 0)";
  statement(projections, sql).run(category, JSON.stringify(found));
}

export function forgetFound(projections: Database, category: ActivityCategory): void {
  statement(projections, "DELETE FROM feed_found WHERE category = ?").run(category);
}

function readBegun(projections: Database, category: ActivityCategory): number | undefined {
  const sql = "SELECT begun FROM feed_found WHERE category = ?";
  return statement<[string], number>(projections, sql).pluck().get(category) as number | undefined;
}
