/** Reads the Oracle's block and the operator's switches (docs/spec/intake.md#oracle, #settlement_control). */
import { type ReadOnlyDatabase, readRow, readValue } from "../../sqlite/statement.ts";
import type { RecordOf } from "../intake/record-types.ts";

/** Returns the reason of the Oracle's current block; null if it is lifted or was never set. */
export function readOracleBlock(ledger: ReadOnlyDatabase, installation: number): string | null {
  const sql = "SELECT blocked_reason FROM oracle_block WHERE installation = ? ORDER BY at DESC LIMIT 1";
  return readValue<string | null>(ledger, sql, installation) ?? null;
}

export type SettlementControl = Omit<RecordOf<"settlement_control">, "type" | "installationId" | "at">;

/** The switches before the first record: all off (docs/spec/api.md#process-queue). */
export const NO_CONTROL: SettlementControl = {
  settlementEnabled: false,
  reporterEnvironmentEnabled: false,
  blockedReason: null,
  incidentOpen: false,
};

/** Returns the operator's switches of the latest record. */
export function readSettlementControl(ledger: ReadOnlyDatabase, installation: number): SettlementControl {
  const row = readRow<{ enabled: number; reporter: number; blockedReason: string | null; incident: number }>(
    ledger,
    `SELECT settlement_enabled AS enabled, reporter_environment_enabled AS reporter, blocked_reason AS blockedReason,
      incident_open AS incident FROM settlement_control WHERE installation = ? ORDER BY at DESC LIMIT 1`,
    installation,
  );
  if (row === undefined) return NO_CONTROL;
  return {
    settlementEnabled: row.enabled === 1,
    reporterEnvironmentEnabled: row.reporter === 1,
    blockedReason: row.blockedReason,
    incidentOpen: row.incident === 1,
  };
}
