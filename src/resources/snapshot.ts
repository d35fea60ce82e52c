/**
 * A plan's inputs: ledger, projections and chain in one short synchronous read transaction
 * (docs/spec/publishing.md#snapshot). Only values leave it; no part of it is of use once the transaction has ended.
 */
import type { Database } from "better-sqlite3";
import type { ChainState } from "../chain/chain-state.ts";
import type { ReadOnlyDatabase } from "../sqlite/statement.ts";

export interface Snapshot {
  /** The single configured public installation (docs/spec/api.md#installations). */
  readonly installationId: string;
  /** Read only; absent for a publisher without a measurement source (`ledger: "none"`). */
  readonly ledger: ReadOnlyDatabase | undefined;
  readonly chain: ChainState;
  /** The publisher's own file of what is derived, as the cycle's advance has left it. */
  readonly projections: ReadOnlyDatabase;
  /** The chain's own SQLite file, for what is read from its events; absent without a chain or before its first pass. */
  readonly chainDb: ReadOnlyDatabase | undefined;
  /** Seconds, a multiple of 600: the configured one or the Core's; undefined where neither is known. */
  readonly genesisTimestamp: bigint | undefined;
}

/** A snapshot of the publisher's own: what is derived may be written, too. */
export interface WritableSnapshot extends Omit<Snapshot, "projections"> {
  readonly projections: Database;
}

/** The source of snapshots. */
export interface Snapshots {
  /** One synchronous read transaction: everything in `use` sees one state; it must not await, and only values leave it. */
  snapshot<T>(use: (snapshot: Snapshot) => T): T;
}
