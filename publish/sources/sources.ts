/**
 * What the resources of one cycle are built from: all of one instant, read in one short synchronous transaction
 * (design 1, "The cycle").
 */
import type { Database } from "better-sqlite3";
import type { ChainState } from "../../src/chain/chain-state.ts";

export interface Sources {
  /** The single configured public installation (read-api.md 1, 7). */
  readonly installationId: string;
  /** Absent for a publisher without a measurement source (`ledger: "none"`). */
  readonly facts: Facts | undefined;
  readonly chain: ChainState;
  /** The publisher's own file of what is derived, advanced to the ledger's and the chain's state of this cycle. */
  readonly projections: Database;
  /** The chain's own SQLite file, for what is read from its events; absent without a chain or before its first pass. */
  readonly chainDb: Database | undefined;
  /** `<history>-<epoch>`: what the names of tiles begin with that are put in this cycle. */
  readonly tilePrefix: string;
  /** Seconds, a multiple of 600: the configured one or the Core's; undefined where neither is known. */
  readonly genesisTimestamp: bigint | undefined;
}

export interface Facts {
  /** The ledger, read only. */
  readonly ledger: Database;
}
