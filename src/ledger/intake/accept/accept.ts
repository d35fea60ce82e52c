import type { IntakeRecord } from "../decode/records.ts";
import type { Verdict } from "../fault.ts";
import { acceptEpoch, acceptOracle, acceptSettlementControl } from "./accept-dated.ts";
import { acceptModule } from "./accept-module.ts";
import { acceptReceipt } from "./accept-receipt.ts";
import { acceptReporterRun } from "./accept-reporter-run.ts";
import { acceptClosure, acceptRound } from "./accept-round.ts";
import { acceptSubmission } from "./accept-submission.ts";
import type { Standing, Standings } from "./standings.ts";

/** Takes one normalised record into the ledger, or says why not; what is accepted raises its kind's watermark. */
export function accept(standings: Standings, record: IntakeRecord): Verdict {
  const standing = standings.of(record.installationId);
  const verdict = judge(standings, standing, record);
  if (verdict === "accepted") {
    standing.watermarks[record.type]++;
    standing.moved.add(record.type);
  }
  return verdict;
}

function judge(standings: Standings, standing: Standing, record: IntakeRecord): Verdict {
  switch (record.type) {
    case "receipt":
      return acceptReceipt(standings, standing, record);
    case "epoch":
      return acceptEpoch(standings, standing, record);
    case "module":
      return acceptModule(standings, standing, record);
    case "round":
      return acceptRound(standings, standing, record);
    case "closure":
      return acceptClosure(standings, standing, record);
    case "oracle":
      return acceptOracle(standings, standing, record);
    case "submission":
      return acceptSubmission(standings, standing, record);
    case "reporter_run":
      return acceptReporterRun(standings, standing, record);
    case "settlement_control":
      return acceptSettlementControl(standings, standing, record);
  }
}
