/**
 * Accepts dated facts that never change: approved epochs, the Oracle's blocks and the operator's switches
 * (docs/spec/intake.md#epoch, #oracle, #settlement_control). A run of the Reporter changes once (#reporter_run).
 */
import { readRow, run } from "../../../sqlite/statement.ts";
import { conflict, type Fault, type IntakeOutcome } from "../fault.ts";
import type { RecordOf } from "../record-types.ts";
import { flag, type Installation, isSame } from "./installation.ts";

type Column = string | number | null;

interface DatedFact {
  readonly table: string;
  /** The column that identifies the fact within its installation, and its value. */
  readonly key: readonly [column: string, value: string | number];
  /** The other columns by name, in table order. */
  readonly content: Readonly<Record<string, Column>>;
}

export function acceptEpoch(installation: Installation, epoch: RecordOf<"epoch">): IntakeOutcome {
  const key = ["counter_epoch", epoch.counterEpoch] as const;
  const fact = { table: "epoch_approval", key, content: { approved_at: epoch.approvedAt } };
  return acceptOnce(installation, fact, conflict("counterEpoch", "the epoch was approved at another instant"));
}

export function acceptOracle(installation: Installation, { at, blockedReason }: RecordOf<"oracle">): IntakeOutcome {
  const fact = { table: "oracle_block", key: ["at", at] as const, content: { blocked_reason: blockedReason } };
  return acceptOnce(installation, fact, conflict("at", "another Oracle record has this instant"));
}

export function acceptSettlementControl(
  installation: Installation,
  control: RecordOf<"settlement_control">,
): IntakeOutcome {
  const content = {
    settlement_enabled: flag(control.settlementEnabled),
    reporter_environment_enabled: flag(control.reporterEnvironmentEnabled),
    blocked_reason: control.blockedReason,
    incident_open: flag(control.incidentOpen),
  };
  const fact = { table: "settlement_control", key: ["at", control.at] as const, content };
  return acceptOnce(installation, fact, conflict("at", "the record of this instant has other switches"));
}

/** An open run finishes once. Its open form may arrive late, or never. */
export function acceptReporterRun(
  installation: Installation,
  { startedAt, finishedAt, result }: RecordOf<"reporter_run">,
): IntakeOutcome {
  const { db } = installation;
  const isOpen = "SELECT 1 FROM reporter_run WHERE installation = ? AND started_at = ? AND finished_at IS NULL";
  if (readRow(db, isOpen, installation.rowId, startedAt) !== undefined) {
    if (finishedAt === null) return "duplicate";
    const finish = "UPDATE reporter_run SET finished_at = ?, result = ? WHERE installation = ? AND started_at = ?";
    run(db, finish, finishedAt, result, installation.rowId, startedAt);
    return "accepted";
  }
  const key = ["started_at", startedAt] as const;
  const fact = { table: "reporter_run", key, content: { finished_at: finishedAt, result } };
  const verdict = acceptOnce(installation, fact, conflict("startedAt", "this run finished differently"));
  // The open form of a finished run is a duplicate.
  return verdict === "accepted" || finishedAt !== null ? verdict : "duplicate";
}

function acceptOnce(
  installation: Installation,
  { table, key: [column, value], content }: DatedFact,
  otherwise: Fault,
): IntakeOutcome {
  const { db } = installation;
  const columns = Object.keys(content).join(", ");
  const select = `SELECT ${columns} FROM ${table} WHERE installation = ? AND ${column} = ?`;
  const stored = readRow<Record<string, Column>>(db, select, installation.rowId, value);
  if (stored !== undefined) return isSame(stored, content) ? "duplicate" : otherwise;
  const values = Object.values(content);
  const insert = `INSERT INTO ${table} (installation, ${column}, ${columns}) VALUES (?, ?${", ?".repeat(values.length)})`;
  run(db, insert, installation.ensureRow(), value, ...values);
  return "accepted";
}
