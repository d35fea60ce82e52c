/**
 * Settlement history as it was last published live, for when the chain cannot be read (docs/spec/api.md#settlements,
 * durable-cache). It outlives a restart and a wiped chain file; lost with this file, it is read back from the store.
 */
import type { Database } from "better-sqlite3";
import { type ReadOnlyDatabase, readValue, run } from "../../sqlite/statement.ts";

export const SAVED_HISTORY_TABLE = `
CREATE TABLE saved_history (
  -- the object's key, and what the history is bound to
  key TEXT NOT NULL,
  binding TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (key, binding)
) STRICT, WITHOUT ROWID;
`;

/** The saved body, queue projections excluded. */
export function savedHistory(projections: ReadOnlyDatabase, key: string, binding: string): string | undefined {
  const sql = "SELECT body FROM saved_history WHERE key = ? AND binding = ?";
  return readValue<string>(projections, sql, key, binding);
}

export function saveHistory(projections: Database, key: string, binding: string, body: string): void {
  run(projections, "INSERT OR REPLACE INTO saved_history VALUES (?, ?, ?)", key, binding, body);
}
