/**
 * Accepts receipts (docs/spec/intake.md#receipt): telemetryId and (bootId, sequence) are unique, and counters never
 * fall within an epoch. Only an accepted receipt takes the next position, so positions have no gaps.
 */

import { statement } from "../../../sqlite/statement.ts";
import { compareDecimals } from "../../../values/decimal.ts";
import { RECEIPT_FIELDS, type Receipt as StoredReceipt } from "../../read/receipts.ts";
import { conflict, fault, type IntakeOutcome } from "../fault.ts";
import type { RecordOf } from "../record-types.ts";
import { type Installation, integer, isSame } from "./installation.ts";

type Receipt = RecordOf<"receipt">;

export function acceptReceipt(installation: Installation, receipt: Receipt): IntakeOutcome {
  const epoch = installation.epoch(receipt.counterEpoch);
  if (epoch !== undefined) {
    const workFalls = compareDecimals(receipt.cumulativeWorkUnits, epoch.cumulativeWorkUnits) < 0;
    if (workFalls || receipt.distanceMm < epoch.distanceMm) {
      if (storedAs(installation, receipt) === "same") return "duplicate";
      return workFalls
        ? fault(
            "counter_regression",
            "cumulativeWorkUnits",
            `cumulativeWorkUnits falls below ${epoch.cumulativeWorkUnits} of the last receipt of its counterEpoch; a counter that was reset begins a new one`,
          )
        : fault(
            "distance_regression",
            "distanceMm",
            `distanceMm falls below ${epoch.distanceMm} of the last receipt of its counterEpoch; a counter that was reset begins a new one`,
          );
    }
  }
  const position = installation.watermarks.receipt + 1;
  if (!insert(installation, position, receipt)) {
    const stored = storedAs(installation, receipt);
    if (stored === "same") return "duplicate";
    return stored === "other"
      ? conflict("telemetryId", "another receipt has this telemetryId")
      : conflict("sequence", "another receipt has this bootId and sequence");
  }
  const { cumulativeWorkUnits, distanceMm } = receipt;
  const firstPosition = epoch?.firstPosition ?? position;
  const counters = { firstPosition, lastPosition: position, cumulativeWorkUnits, distanceMm, hasChanged: true };
  installation.epochs.set(receipt.counterEpoch, counters);
  return "accepted";
}

/** Returns false if a receipt with one of the three keys exists. */
function insert(installation: Installation, position: number, receipt: Receipt): boolean {
  return (
    statement(installation.db, INSERT).run(
      installation.ensureRow(),
      position,
      receipt.telemetryId,
      receipt.bootId,
      receipt.counterEpoch,
      integer(receipt.sequence),
      receipt.observedAt,
      receipt.receivedAt,
      receipt.cumulativeWorkUnits,
      receipt.provenance,
      receipt.softwareVersion,
      receipt.coreStatus,
      integer(receipt.rpmMilli),
      integer(receipt.speedMmPerSecond),
      integer(receipt.distanceMm),
    ).changes === 1
  );
}

const INSERT = `INSERT INTO receipt VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`;

/** Compares the receipt with the ledger's receipt of the same telemetryId; undefined if there is none. */
function storedAs({ db, rowId }: Installation, receipt: Receipt): "same" | "other" | undefined {
  const stored = statement<[number, string], Omit<StoredReceipt, "position">>(db, STORED).get(
    rowId,
    receipt.telemetryId,
  );
  return stored === undefined ? undefined : isSame(stored, receipt) ? "same" : "other";
}

const STORED = `SELECT ${RECEIPT_FIELDS} FROM receipt WHERE installation = ? AND telemetry_id = ?`;
