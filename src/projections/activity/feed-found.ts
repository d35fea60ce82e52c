/**
 * What a publisher that does not remember the activity feed has found of it in the store, until the next plan takes it
 * over: a state directory that was lost, or a lease that somebody else has held since, costs no tile.
 */
import type { Database } from "better-sqlite3";
import { statement } from "../../sqlite/statement.ts";
import type { FeedCategory } from "./activity-events.ts";

export const FEED_FOUND_TABLE = `
-- JSON of what was found and not taken over yet
CREATE TABLE feed_found (
  category TEXT PRIMARY KEY,
  found TEXT NOT NULL
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

export interface FoundFeed {
  /** Of every tile in the store, whether or not a head leads to it. */
  readonly names: readonly string[];
  /** Null where no head says it: none was ever put, or the feed was unavailable. */
  readonly cut: FoundCut | null;
}

export const NOTHING_FOUND: FoundFeed = { names: [], cut: null };

export function foundFeed(projections: Database, category: FeedCategory): FoundFeed | undefined {
  const sql = "SELECT found FROM feed_found WHERE category = ?";
  const text = statement<[string], string>(projections, sql).pluck().get(category) as string | undefined;
  return text === undefined ? undefined : (JSON.parse(text) as FoundFeed);
}

/** Of a cut that was found before and not taken over, the first word counts: heads without one were put since. */
export function rememberFound(projections: Database, category: FeedCategory, { names, cut }: FoundFeed): void {
  const found: FoundFeed = { names, cut: cut ?? foundFeed(projections, category)?.cut ?? null };
  const sql = "INSERT OR REPLACE INTO feed_found VALUES (?, ?)";
  statement(projections, sql).run(category, JSON.stringify(found));
}

export function forgetFound(projections: Database, category: FeedCategory): void {
  statement(projections, "DELETE FROM feed_found WHERE category = ?").run(category);
}
