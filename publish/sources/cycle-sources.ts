/** The sources of one cycle: its projections are advanced once, and read in as many snapshots as it takes. */
import type { Snapshot, Snapshots } from "../../src/resources/snapshot.ts";

/** In its snapshots chain and projections are the same; the ledger may be ahead of where it was advanced to. */
export interface CycleSources extends Snapshots {
  /**
   * Brings the projections of the configured installation to the ledger and the chain, in short steps between which
   * other things have their turn, and gives `use` the snapshot of the very ledger state that they were advanced to.
   */
  advance<T>(use: (snapshot: Snapshot) => T): Promise<T>;
  /** Everything that was derived from the ledger is derived anew: its facts may be others now. */
  forgetLedger(): void;
  /** Keeps something in the projections; everything else that has the snapshot only reads. */
  write(keep: (snapshot: Snapshot) => void): void;
}
