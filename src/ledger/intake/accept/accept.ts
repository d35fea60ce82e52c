import type { FactKind } from "../../schema.ts";
import type { IntakeRecord, RecordOf } from "../decode/records.ts";
import type { Verdict } from "../fault.ts";
import { acceptEpoch, acceptOracle, acceptReporterRun, acceptSettlementControl } from "./accept-dated.ts";
import { acceptModule } from "./accept-module.ts";
import { acceptReceipt } from "./accept-receipt.ts";
import { acceptClosure, acceptRound } from "./accept-round.ts";
import { acceptSubmission } from "./accept-submission.ts";
import type { Hash64 } from "./fact-hash.ts";
import type { InstallationState, InstallationStates } from "./installation-states.ts";

type Accept<Kind extends FactKind> = (
  states: InstallationStates,
  state: InstallationState,
  record: RecordOf<Kind>,
) => Verdict;

const BY_KIND: { readonly [Kind in FactKind]: Accept<Kind> } = {
  receipt: acceptReceipt,
  epoch: acceptEpoch,
  module: acceptModule,
  round: acceptRound,
  closure: acceptClosure,
  oracle: acceptOracle,
  submission: acceptSubmission,
  reporter_run: acceptReporterRun,
  settlement_control: acceptSettlementControl,
};

/** Takes one normalised record into the ledger, or says why not; what is accepted is counted. `hash`: the record's, if known. */
export function accept(states: InstallationStates, record: IntakeRecord, hash?: Hash64): Verdict {
  const state = states.of(record.installationId);
  const verdict = (BY_KIND[record.type] as Accept<FactKind>)(states, state, record);
  if (verdict === "accepted") states.count(state, record, hash);
  return verdict;
}
