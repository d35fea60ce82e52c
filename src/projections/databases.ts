import type { Database } from "better-sqlite3";

/** What a projection follows, and where it stands. */
export interface Databases {
  readonly ledger: Database;
  readonly projections: Database;
}
