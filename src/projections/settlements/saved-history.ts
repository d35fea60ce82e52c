/**
 * Stores the last live settlement history, which is served while the chain cannot be read
 * (docs/spec/api.md#settlements, durable-cache). It survives a restart and a deleted chain file. If this file is lost,
 * it is read back from the store.
 */
import type { Database } from "better-sqlite3";
import { type ReadOnlyDatabase, readValue, run } from "../../sqlite/statement.ts";

export const SAVED_HISTORY_TABLE = `
CREATE TABLE saved_history (
  -- the object's key, and the contracts that the history belongs to
  key TEXT NOT NULL,
  binding TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (key, binding)
) STRICT, WITHOUT ROWID;
`;

/** Returns the saved body, without queue projections. */
export function savedHistory(projections: ReadOnlyDatabase, key: string, binding: string): string | undefined {
  const sql = "SELECT body FROM saved_history WHERE key = ? AND binding = ?";
  return readValue<string>(projections, sql, key, binding);
}

export function saveHistory(projections: Database, key: string, binding: string, body: string): void {
  run(projections, "INSERT OR REPLACE INTO saved_history VALUES (?, ?, ?)", key, binding, body);
}
