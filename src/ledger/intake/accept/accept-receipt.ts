/**
 * Receipts (docs/spec/intake.md#receipt): key telemetryId, (bootId, sequence) unique too, and counters that never fall
 * within an epoch. The position is given here: the next one, taken by accepted receipts alone, so that positions are
 * dense.
 */

import { statement } from "../../../sqlite/statement.ts";
import { compareDecimals } from "../../../values/decimal.ts";
import { RECEIPT_FIELDS, type Receipt as StoredReceipt } from "../../read/receipts.ts";
import type { RecordOf } from "../decode/records.ts";
import { conflict, Fault, type Verdict } from "../fault.ts";
import type { InstallationState, InstallationStates } from "./installation-states.ts";
import { integer, isSame } from "./stored.ts";

type Receipt = RecordOf<"receipt">;

export function acceptReceipt(states: InstallationStates, state: InstallationState, receipt: Receipt): Verdict {
  const epoch = states.epoch(state, receipt.counterEpoch);
  if (epoch !== undefined) {
    const workFalls = compareDecimals(receipt.cumulativeWorkUnits, epoch.cumulativeWorkUnits) < 0;
    if (workFalls || receipt.distanceMm < epoch.distanceMm) {
      if (storedAs(states, state, receipt) === "same") return "duplicate";
      return workFalls
        ? new Fault(
            "counter_regression",
            "cumulativeWorkUnits",
            `cumulativeWorkUnits falls below ${epoch.cumulativeWorkUnits} within its counterEpoch`,
          )
        : new Fault(
            "distance_regression",
            "distanceMm",
            `distanceMm falls below ${epoch.distanceMm} within its counterEpoch`,
          );
    }
  }
  const position = state.watermarks.receipt + 1;
  if (!insert(states, states.exist(state), position, receipt)) {
    const stored = storedAs(states, state, receipt);
    if (stored === "same") return "duplicate";
    return stored === "other"
      ? conflict("telemetryId", "another receipt has this telemetryId")
      : conflict("sequence", "another receipt has this bootId and sequence");
  }
  const { cumulativeWorkUnits, distanceMm } = receipt;
  const firstPosition = epoch?.firstPosition ?? position;
  const moved = { firstPosition, lastPosition: position, cumulativeWorkUnits, distanceMm, moved: true };
  state.epochs.set(receipt.counterEpoch, moved);
  return "accepted";
}

/** False if one of the three keys is taken. */
function insert({ db }: InstallationStates, installation: number, position: number, receipt: Receipt): boolean {
  return (
    statement(db, INSERT).run(
      installation,
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

/** The ledger's receipt with this telemetryId. */
function storedAs(
  { db }: InstallationStates,
  { rowId }: InstallationState,
  receipt: Receipt,
): "same" | "other" | undefined {
  const stored = statement<[number, string], Omit<StoredReceipt, "position">>(db, STORED).get(
    rowId,
    receipt.telemetryId,
  );
  return stored === undefined ? undefined : isSame(stored, receipt) ? "same" : "other";
}

const STORED = `SELECT ${RECEIPT_FIELDS} FROM receipt WHERE installation = ? AND telemetry_id = ?`;
