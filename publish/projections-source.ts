/** The publisher's own file of what is derived from ledger and chain, advanced by new facts only. */
import type { Database } from "better-sqlite3";

export interface ProjectionsSource {
  /**
   * The projections as of what ledger and chain hold now. Synchronous: called inside the cycle's read transaction.
   * `genesis` in seconds.
   */
  advance(ledger: Database | undefined, chain: Database | undefined, genesis: bigint | undefined): Database;
  close(): void;
}
