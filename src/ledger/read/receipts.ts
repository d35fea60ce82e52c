/** Reads accepted measurements (docs/spec/intake.md#receipt). Positions are 1, 2, 3 … per installation. */
import { eachRow, type ReadOnlyDatabase, readNumber, readRow, readRows, readValue } from "../../sqlite/statement.ts";
import type { RecordOf } from "../intake/record-types.ts";

/** A receipt as accepted: instants in epoch ms, cumulativeWorkUnits a uint64 decimal string. */
export type Receipt = Omit<RecordOf<"receipt">, "type" | "installationId"> & { readonly position: number };

/** The columns of a receipt except its position, named as its fields. */
export const RECEIPT_FIELDS = `telemetry_id AS telemetryId, boot_id AS bootId, counter_epoch AS counterEpoch, sequence,
  observed_at AS observedAt, received_at AS receivedAt, cumulative_work_units AS cumulativeWorkUnits, provenance,
  software_version AS softwareVersion, core_status AS coreStatus, rpm_milli AS rpmMilli,
  speed_mm_per_second AS speedMmPerSecond, distance_mm AS distanceMm`;
const SELECT_RECEIPTS = `SELECT position, ${RECEIPT_FIELDS} FROM receipt`;

/** Returns the receipt with the highest position. */
export function readNewestReceipt(ledger: ReadOnlyDatabase, installation: number): Receipt | undefined {
  const sql = `${SELECT_RECEIPTS} WHERE installation = ? ORDER BY position DESC LIMIT 1`;
  return readRow<Receipt>(ledger, sql, installation);
}

/** Returns the highest position; 0 if there is no receipt. It reads only the key. */
export function readNewestPosition(ledger: ReadOnlyDatabase, installation: number): number {
  return readNumber(ledger, "SELECT ifnull(max(position), 0) FROM receipt WHERE installation = ?", installation);
}

/** Returns the receipts between two positions, both included, ascending. */
export function readReceipts(ledger: ReadOnlyDatabase, installation: number, from: number, to: number): Receipt[] {
  const sql = `${SELECT_RECEIPTS} WHERE installation = ? AND position BETWEEN ? AND ? ORDER BY position`;
  return readRows<Receipt>(ledger, sql, installation, from, to);
}

/** Returns the telemetryId at a position, which shows if a ledger continues what was published. */
export function readTelemetryIdAt(
  ledger: ReadOnlyDatabase,
  installation: number,
  position: number,
): string | undefined {
  const sql = "SELECT telemetry_id FROM receipt WHERE installation = ? AND position = ?";
  return readValue<string>(ledger, sql, installation, position);
}

// Readings of the work counter, without the other fields of a receipt (docs/spec/intake.md#receipt).

export interface CounterReading {
  readonly counterEpoch: string;
  /** Epoch ms. */
  readonly observedAt: number;
  /** uint64 decimal string. */
  readonly cumulativeWorkUnits: string;
}

/** Iterates the readings above `after` up to and including `from`, by descending position. Rows are read lazily. */
export function iterateCountersBack(
  ledger: ReadOnlyDatabase,
  installation: number,
  after: number,
  from: number,
): IterableIterator<CounterReading> {
  const sql = `SELECT counter_epoch AS counterEpoch, observed_at AS observedAt,
      cumulative_work_units AS cumulativeWorkUnits
    FROM receipt WHERE installation = ? AND position > ? AND position <= ? ORDER BY position DESC`;
  return eachRow<CounterReading>(ledger, sql, installation, after, from);
}

// Reads of counter epochs (docs/spec/intake.md#epoch): the Oracle's approvals and the first receipts.

/** Returns true if the Oracle approved the counter epoch, at any time. */
export function isEpochApproved(ledger: ReadOnlyDatabase, installation: number, counterEpoch: string): boolean {
  const sql = "SELECT 1 FROM epoch_approval WHERE installation = ? AND counter_epoch = ?";
  return readRow(ledger, sql, installation, counterEpoch) !== undefined;
}

export interface EpochStart {
  /** Position of the epoch's first receipt. */
  readonly position: number;
  /** The receipt's counter, a uint64 decimal string. */
  readonly cumulativeWorkUnits: string;
}

/** Returns the first receipt of a counter epoch. */
export function readEpochStart(
  ledger: ReadOnlyDatabase,
  installation: number,
  counterEpoch: string,
): EpochStart | undefined {
  const sql = `SELECT receipt.position, receipt.cumulative_work_units AS cumulativeWorkUnits
    FROM counter_epoch JOIN receipt
      ON receipt.installation = counter_epoch.installation AND receipt.position = counter_epoch.first_position
    WHERE counter_epoch.installation = ? AND counter_epoch.counter_epoch = ?`;
  return readRow<EpochStart>(ledger, sql, installation, counterEpoch);
}
