/** Adds decoded records to the ledger. One function per kind decides how to treat a second record with its key. */
import { entryText } from "../../entry.ts";
import type { FactKind } from "../../schema.ts";
import { fault, type IntakeOutcome } from "../fault.ts";
import type { IntakeRecord, RecordOf } from "../record-types.ts";
import { acceptEpoch, acceptOracle, acceptReporterRun, acceptSettlementControl } from "./accept-dated.ts";
import { acceptModule } from "./accept-module.ts";
import { acceptReceipt } from "./accept-receipt.ts";
import { acceptClosure, acceptRound } from "./accept-round.ts";
import { acceptSubmission } from "./accept-submission.ts";
import type { Installation, Installations } from "./installation.ts";

type Accept<Kind extends FactKind> = (installation: Installation, record: RecordOf<Kind>) => IntakeOutcome;

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

/**
 * Adds one normalised record to the ledger and its log, or returns why not. `isListed` says if facts of an installation
 * that is not in the ledger are taken.
 */
export function accept(
  installations: Installations,
  record: IntakeRecord,
  isListed: (id: string) => boolean = () => true,
): IntakeOutcome {
  const installation = installations.of(record.installationId);
  if (installation.rowId === 0 && !isListed(installation.id)) {
    return fault(
      "installation_not_listed",
      "installationId",
      `${installation.id} is not in the ledger, nor configured`,
    );
  }
  const verdict = (BY_KIND[record.type] as Accept<FactKind>)(installation, record);
  if (verdict === "accepted") installations.append(installation, record.type, entryText(record));
  return verdict;
}
