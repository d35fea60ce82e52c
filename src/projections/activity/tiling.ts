/** What a category's tiles were last planned with. */
import type { Database } from "better-sqlite3";
import { statement } from "../../sqlite/statement.ts";
import type { ActivityCategory } from "./activity-events.ts";

export const TILING_TABLE = `
-- what the tiles' texts depend on besides the events, and the changes that have been taken in
CREATE TABLE feed_state (
  category TEXT PRIMARY KEY,
  basis TEXT NOT NULL,
  change_no INTEGER NOT NULL,
  -- rises whenever the feed may be another
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

export interface Tiling {
  readonly basis: string;
  readonly changeNo: number;
  readonly version: number;
}

/** Undefined where the category has never been planned here. */
export function readTiling(projections: Database, category: ActivityCategory): Tiling | undefined {
  const sql = "SELECT basis, change_no AS changeNo, version FROM feed_state WHERE category = ?";
  return statement<[string], Tiling>(projections, sql).get(category);
}

export function writeTiling(projections: Database, category: ActivityCategory, tiling: Tiling): void {
  const { basis, changeNo, version } = tiling;
  const sql = "INSERT OR REPLACE INTO feed_state VALUES (?, ?, ?, ?)";
  statement(projections, sql).run(category, basis, changeNo, version);
}
