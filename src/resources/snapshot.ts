/**
 * A plan's inputs: ledger, projections and chain in one short synchronous read transaction
 * (docs/spec/publishing.md#snapshot). Only values may leave it, because it is invalid after the transaction.
 */
import type { Database } from "better-sqlite3";
import type { ChainState } from "../chain/chain-state.ts";
import type { ReadOnlyDatabase } from "../sqlite/statement.ts";

export interface Snapshot {
  /** The single configured public installation (docs/spec/api.md#installations). */
  readonly installationId: string;
  /** Read-only; absent if there is no measurement source (`ledger: "none"`). */
  readonly ledger: ReadOnlyDatabase | undefined;
  readonly chain: ChainState;
  /** The publisher's derived data, as the cycle's `advance` left it. */
  readonly projections: ReadOnlyDatabase;
  /** The parts of the projections that this cycle could not derive, and why. */
  readonly faults?: ReadonlyMap<string, unknown>;
  /** The chain's SQLite file with its events; absent without a chain or before its first pass. */
  readonly chainDb: ReadOnlyDatabase | undefined;
  /** The last published settlement history of this deployment under the key that is built; absent if there is none. */
  readonly publishedHistory?: string | undefined;
  /** Epoch seconds, a multiple of 600, from the settings or the Core; undefined if neither is known. */
  readonly genesisTimestamp: bigint | undefined;
}

/** The publisher's snapshot, in which it may also write derived data. */
export interface WritableSnapshot extends Omit<Snapshot, "projections" | "faults"> {
  readonly projections: Database;
  /** Gets the parts that cannot be derived. Without it their exceptions are thrown. */
  readonly faults?: Map<string, unknown>;
}

/** Provides snapshots. */
export interface Snapshots {
  /** Runs `use` in one synchronous read transaction. It must not await, and only values may leave it. */
  snapshot<T>(use: (snapshot: Snapshot) => T): T;
}
