import type { IntakeRecord } from "../decode/records.ts";
import type { Verdict } from "../fault.ts";
import { acceptEpoch, acceptOracle, acceptSettlementControl } from "./accept-dated.ts";
import { acceptModule } from "./accept-module.ts";
import { acceptReceipt } from "./accept-receipt.ts";
import { acceptReporterRun } from "./accept-reporter-run.ts";
import { acceptClosure, acceptRound } from "./accept-round.ts";
import { acceptSubmission } from "./accept-submission.ts";
import type { Hash64 } from "./fact-hash.ts";
import type { InstallationState, InstallationStates } from "./installation-states.ts";

/** Takes one normalised record into the ledger, or says why not; what is accepted is counted. `hash`: the record's, if known. */
export function accept(states: InstallationStates, record: IntakeRecord, hash?: Hash64): Verdict {
  const state = states.of(record.installationId);
  const verdict = judge(states, state, record);
  if (verdict === "accepted") states.count(state, record, hash);
  return verdict;
}

function judge(states: InstallationStates, state: InstallationState, record: IntakeRecord): Verdict {
  switch (record.type) {
    case "receipt":
      return acceptReceipt(states, state, record);
    case "epoch":
      return acceptEpoch(states, state, record);
    case "module":
      return acceptModule(states, state, record);
    case "round":
      return acceptRound(states, state, record);
    case "closure":
      return acceptClosure(states, state, record);
    case "oracle":
      return acceptOracle(states, state, record);
    case "submission":
      return acceptSubmission(states, state, record);
    case "reporter_run":
      return acceptReporterRun(states, state, record);
    case "settlement_control":
      return acceptSettlementControl(states, state, record);
  }
}
