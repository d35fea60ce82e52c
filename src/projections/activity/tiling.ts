/** What a category's tiles were last cut with. */
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
  version INTEGER NOT NULL,
  -- 0 while tiles are still to be cut, and nothing may be planned with them
  is_whole INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

export interface Tiling {
  readonly basis: string;
  readonly changeNo: number;
  readonly version: number;
  /** False while tiles are still to be cut: nothing may be planned with them. */
  readonly isWhole: boolean;
}

/** Undefined where its tiles have never been begun here. */
export function readTiling(projections: Database, category: ActivityCategory): Tiling | undefined {
  const sql = "SELECT basis, change_no AS changeNo, version, is_whole AS isWhole FROM feed_state WHERE category = ?";
  const row = statement<[string], Omit<Tiling, "isWhole"> & { isWhole: number }>(projections, sql).get(category);
  return row && { ...row, isWhole: row.isWhole === 1 };
}

export function writeTiling(projections: Database, category: ActivityCategory, tiling: Tiling): void {
  const { basis, changeNo, version, isWhole } = tiling;
  const sql = "INSERT OR REPLACE INTO feed_state VALUES (?, ?, ?, ?, ?)";
  statement(projections, sql).run(category, basis, changeNo, version, isWhole ? 1 : 0);
}
