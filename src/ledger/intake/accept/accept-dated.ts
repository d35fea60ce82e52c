/**
 * Facts that are dated and never move: approved epochs, the Oracle's blocks, the operator's switches
 * (docs/spec/intake.md#epoch, #oracle, #settlement_control).
 */
import { statement } from "../../../sqlite/statement.ts";
import type { RecordOf } from "../decode/records.ts";
import { conflict, type Verdict } from "../fault.ts";
import type { InstallationState, InstallationStates } from "./installation-states.ts";
import { flag, isSame } from "./stored.ts";

export function acceptEpoch(states: InstallationStates, state: InstallationState, epoch: RecordOf<"epoch">): Verdict {
  const { db } = states;
  const { counterEpoch, approvedAt } = epoch;
  const stored = statement<[number, string], { approvedAt: number }>(db, STORED_EPOCH).get(state.no, counterEpoch);
  if (stored !== undefined) {
    return isSame(stored, { approvedAt })
      ? "duplicate"
      : conflict("counterEpoch", "it was approved at another instant");
  }
  statement(db, "INSERT INTO epoch_approval VALUES (?, ?, ?)").run(states.exist(state), counterEpoch, approvedAt);
  return "accepted";
}

export function acceptOracle(
  states: InstallationStates,
  state: InstallationState,
  oracle: RecordOf<"oracle">,
): Verdict {
  const { db } = states;
  const { at, blockedReason } = oracle;
  const stored = statement<[number, number], { blockedReason: string | null }>(db, STORED_ORACLE).get(state.no, at);
  if (stored !== undefined) {
    return isSame(stored, { blockedReason })
      ? "duplicate"
      : conflict("at", "the Oracle said otherwise at this instant");
  }
  statement(db, "INSERT INTO oracle_block VALUES (?, ?, ?)").run(states.exist(state), at, blockedReason);
  return "accepted";
}

export function acceptSettlementControl(
  states: InstallationStates,
  state: InstallationState,
  control: RecordOf<"settlement_control">,
): Verdict {
  const { db } = states;
  const { at, blockedReason } = control;
  const come = {
    settlementEnabled: flag(control.settlementEnabled),
    reporterEnvironmentEnabled: flag(control.reporterEnvironmentEnabled),
    blockedReason,
    incidentOpen: flag(control.incidentOpen),
  };
  const stored = statement<[number, number], typeof come>(db, STORED_CONTROL).get(state.no, at);
  if (stored !== undefined) {
    return isSame(stored, come) ? "duplicate" : conflict("at", "the switches were set otherwise at this instant");
  }
  const { settlementEnabled, reporterEnvironmentEnabled, incidentOpen } = come;
  const no = states.exist(state);
  statement(db, INSERT_CONTROL).run(no, at, settlementEnabled, reporterEnvironmentEnabled, blockedReason, incidentOpen);
  return "accepted";
}

const STORED_EPOCH = `
SELECT approved_at AS approvedAt FROM epoch_approval WHERE installation = ? AND counter_epoch = ?`;

const STORED_ORACLE = "SELECT blocked_reason AS blockedReason FROM oracle_block WHERE installation = ? AND at = ?";

const STORED_CONTROL = `
SELECT settlement_enabled AS settlementEnabled, reporter_environment_enabled AS reporterEnvironmentEnabled,
       blocked_reason AS blockedReason, incident_open AS incidentOpen
FROM settlement_control WHERE installation = ? AND at = ?`;

const INSERT_CONTROL = "INSERT INTO settlement_control VALUES (?, ?, ?, ?, ?, ?)";
