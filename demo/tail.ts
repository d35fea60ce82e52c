/** Restores the wheel's state from the end of a ledger that an earlier run has written. */
import type { Database } from "better-sqlite3";
import { readNewestReceipt, readReceiptBefore } from "../src/ledger/read/receipts.ts";
import { iterateRounds, readNewestClosure, readNewestRoundId } from "../src/ledger/read/rounds.ts";
import {
  readActiveSubmission,
  readLatestConfirmed,
  readLatestSubmission,
  type Submission as Stored,
} from "../src/ledger/read/submissions.ts";
import { installationRowId } from "../src/ledger/watermarks.ts";
import { ROUND_MS } from "../src/values/round.ts";
import type { RoundWork } from "./history/device.ts";
import type { Plan } from "./history/plan.ts";
import type { ReporterState } from "./history/reporter.ts";
import type { Batch } from "./history/settlement.ts";
import { Submission } from "./history/submission.ts";
import type { WheelState } from "./history/wheel.ts";

/** Undefined if the ledger has no receipt of the plan's installation. */
export function readWheelState(ledger: Database, plan: Plan): WheelState | undefined {
  const installation = installationRowId(ledger, plan.installationId);
  const receipt = installation === undefined ? undefined : readNewestReceipt(ledger, installation);
  if (installation === undefined || receipt === undefined) return undefined;
  const nextRound = Number(readNewestRoundId(ledger, installation) ?? -1n) + 1;
  const reporter = reporterOf(ledger, installation, plan);
  const acceptedThrough = Number(readNewestClosure(ledger, installation)?.lastRound ?? -1n);
  const closedWork = new Map<number, number>();
  for (const { roundId, workUnits } of iterateRounds(ledger, installation, BigInt(reporter.frontier))) {
    closedWork.set(Number(roundId), Number(workUnits));
  }
  const unaccepted = [...iterateRounds(ledger, installation, BigInt(Math.max(acceptedThrough, 0)))];
  const openRound = Math.max(Math.floor((receipt.observedAt - plan.genesisMs) / ROUND_MS), nextRound);
  const openFrom = plan.genesisMs + nextRound * ROUND_MS;
  return {
    at: receipt.observedAt,
    device: {
      bootId: receipt.bootId,
      sequence: receipt.sequence + 1,
      counterEpoch: receipt.counterEpoch,
      milliRevolutions: Number(receipt.cumulativeWorkUnits) * 1_000,
      distanceMm: receipt.distanceMm,
      at: receipt.observedAt,
    },
    roundWork: new Map([[openRound, workSince(ledger, installation, receipt.counterEpoch, openFrom)]]),
    oracle: { nextRound, unaccepted: unaccepted.map(({ roundId }) => Number(roundId)) },
    closedWork,
    acceptedThrough,
    reporter,
  };
}

/** Work since an instant (epoch ms): the newest receipt minus the last one observed before it. */
function workSince(ledger: Database, installation: number, counterEpoch: string, from: number): RoundWork {
  const row = readReceiptBefore(ledger, installation, counterEpoch, from);
  const newest = readNewestReceipt(ledger, installation);
  if (row === undefined || newest === undefined) return { work: 0, distanceMm: 0 };
  return {
    work: Number(newest.cumulativeWorkUnits) - Number(row.cumulativeWorkUnits),
    distanceMm: newest.distanceMm - row.distanceMm,
  };
}

function reporterOf(ledger: Database, installation: number, plan: Plan): ReporterState {
  const confirmed = readLatestConfirmed(ledger, installation);
  const settledWork = Number(confirmed?.expected.cumulativeWork ?? 0);
  const active = readActiveSubmission(ledger, installation);
  return {
    frontier: Number(confirmed?.settledThroughRound ?? 0),
    settledWork,
    active: active === undefined ? undefined : submissionOf(active, settledWork, plan),
    lastPreparedAt: readLatestSubmission(ledger, installation)?.preparedAt ?? plan.from,
  };
}

function submissionOf(stored: Stored, settledWork: number, plan: Plan): Submission {
  const batch: Batch = {
    submissionId: stored.submissionId,
    previousSettledThroughRound: Number(stored.previousSettledThroughRound),
    settledThroughRound: Number(stored.settledThroughRound),
    activeRoundCount: stored.activeRoundCount,
    workAdded: Number(stored.expected.cumulativeWork) - settledWork,
    expected: {
      cumulativeWork: Number(stored.expected.cumulativeWork),
      blockHeight: Number(stored.expected.blockHeight),
      currentWork: Number(stored.expected.currentWork),
      completedBlockCount: Number(stored.expected.completedBlockCount),
    },
    preparedAt: stored.preparedAt,
  };
  const { lifecycle, transactionHash, submittedAt } = stored;
  return new Submission(plan, batch, "confirmed", { lifecycle, transactionHash, submittedAt });
}
