/** Typed reads of counter epochs (docs/spec/intake.md#epoch): what the Oracle approved, and where each began. */
import type { Database } from "better-sqlite3";
import { statement } from "../../sqlite/statement.ts";

/** True if the Oracle lets a counter epoch count, whenever it said so. */
export function isEpochApproved(ledger: Database, installation: number, counterEpoch: string): boolean {
  const sql = "SELECT 1 FROM epoch_approval WHERE installation = ? AND counter_epoch = ?";
  return statement<[number, string]>(ledger, sql).get(installation, counterEpoch) !== undefined;
}

export interface EpochStart {
  /** Position of the epoch's first receipt. */
  readonly position: number;
  /** Its counter, a uint64 decimal string. */
  readonly cumulativeWorkUnits: string;
}

/** The first receipt of a counter epoch. */
export function readEpochStart(ledger: Database, installation: number, counterEpoch: string): EpochStart | undefined {
  const sql = `SELECT receipt.position, receipt.cumulative_work_units AS cumulativeWorkUnits
    FROM counter_epoch JOIN receipt
      ON receipt.installation = counter_epoch.installation AND receipt.position = counter_epoch.first_position
    WHERE counter_epoch.installation = ? AND counter_epoch.counter_epoch = ?`;
  return statement<[number, string], EpochStart>(ledger, sql).get(installation, counterEpoch);
}
