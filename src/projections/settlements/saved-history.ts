/**
 * Stores settlement history that a put takes out of the object store: of a deployment that is not configured any more
 * (docs/spec/api.md#settlements-source). All other saved history is what is published.
 */
import type { Database } from "better-sqlite3";
import { type ReadOnlyDatabase, readValue, run } from "../../sqlite/statement.ts";

export const SAVED_HISTORY_TABLE = `
CREATE TABLE saved_history (
  -- the object's key, and the deployment in its source version
  key TEXT NOT NULL,
  chain TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (key, chain)
) STRICT, WITHOUT ROWID;
`;

export function savedHistory(projections: ReadOnlyDatabase, key: string, chain: string): string | undefined {
  return readValue<string>(projections, "SELECT body FROM saved_history WHERE key = ? AND chain = ?", key, chain);
}

export function saveHistory(projections: Database, key: string, chain: string, body: string): void {
  run(projections, "INSERT OR REPLACE INTO saved_history VALUES (?, ?, ?)", key, chain, body);
}
