/**
 * A plan's inputs: ledger, projections and chain in one short synchronous read transaction
 * (docs/spec/publishing.md#snapshot). Only values may leave it, because it is invalid once the transaction has ended.
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
  /** The publisher's file of derived data, as the cycle's `advance` has left it. */
  readonly projections: ReadOnlyDatabase;
  /** The chain's SQLite file, with its events; absent without a chain or before its first pass. */
  readonly chainDb: ReadOnlyDatabase | undefined;
  /** Seconds, a multiple of 600: the configured one or the Core's; undefined if neither is known. */
  readonly genesisTimestamp: bigint | undefined;
}

/** The publisher's own snapshot, in which it may also write derived data. */
export interface WritableSnapshot extends Omit<Snapshot, "projections"> {
  readonly projections: Database;
}

/** The source of snapshots. */
export interface Snapshots {
  /** Runs `use` in one synchronous read transaction. It must not await, and only values may leave it. */
  snapshot<T>(use: (snapshot: Snapshot) => T): T;
}
