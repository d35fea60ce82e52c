/** docs/spec/api.md#process-queue, `settlementQueue`: the accepted rounds that wait, and who does what about them. */
import type { ReporterRun } from "../../../ledger/read/reporter-runs.ts";
import type { Submission } from "../../../ledger/read/submissions.ts";
import { staleFrom } from "../../../values/freshness.ts";
import { formatTimestamp } from "../../../values/timestamp.ts";
import type { ProcessFacts, ProcessTime } from "../facts.ts";
import type { SettlementQueue } from "../schema.ts";
import { project } from "./project.ts";

/** The Reporter is stale once its last completion is older than this. */
const STALE_AFTER_MS = 600_000;

type Available = Extract<SettlementQueue, { status: "available" }>;

/** `time` in epoch ms; `changesAt` is the first instant after `at` at which time alone changes the state. */
export function settlementQueueOf(
  facts: ProcessFacts,
  time: ProcessTime,
): { queue: SettlementQueue; changesAt?: number } {
  const { core, rounds, control } = facts;
  if (core === undefined || rounds === undefined) return unavailable("oracle_head_unavailable");
  const buffered = rounds.accepted;
  if (buffered === undefined) return unavailable("round_projection_gap");
  if (buffered.ineligibleCount > 0n) return unavailable("round_ineligible");
  const frontier = core.settledThroughRound;
  const reporterStaleFrom = reporterStale(facts, time);
  const state = stateOf(facts, buffered.count, reporterStaleFrom === undefined);
  const queue: SettlementQueue = {
    status: "available",
    state,
    settlementEnabled: control.settlementEnabled,
    reporterEnvironmentEnabled: control.reporterEnvironmentEnabled,
    buffered: {
      firstRound: buffered.count > 0n ? String(frontier + 1n) : null,
      lastRound: buffered.count > 0n ? String(frontier + buffered.count) : null,
      roundCount: String(buffered.count),
      activeRoundCount: String(buffered.activeCount),
      workUnits: String(buffered.workUnits),
    },
    projected: project(core, buffered.workUnits),
    incidentOpen: control.incidentOpen,
    blockedReason: control.blockedReason,
    lastRun: facts.lastRun === undefined ? null : runOf(facts.lastRun),
    latestSubmission: facts.latestSubmission === undefined ? null : submissionOf(facts.latestSubmission),
  };
  const waits = state !== "blocked" && state !== "disabled" && state !== "stale";
  return waits && reporterStaleFrom !== undefined ? { queue, changesAt: reporterStaleFrom } : { queue };
}

/** The instant from which on the Reporter is stale; undefined if it is already. */
function reporterStale({ lastCompletion }: ProcessFacts, time: ProcessTime): number | undefined {
  if (lastCompletion === undefined || lastCompletion.newerRunUnfinished) return undefined;
  return staleFrom(lastCompletion.finishedAt, STALE_AFTER_MS, time);
}

/** The precedence of docs/spec/api.md#process-queue. */
function stateOf(facts: ProcessFacts, bufferedRounds: bigint, isReporterStale: boolean): Available["state"] {
  const { control, activeSubmission } = facts;
  if (control.blockedReason !== null) return "blocked";
  if (!control.settlementEnabled) return "disabled";
  if (isReporterStale) return "stale";
  if (activeSubmission !== undefined) return activeSubmission.lifecycle as Available["state"];
  return bufferedRounds > 0n ? "ready" : "empty";
}

function unavailable(reason: Extract<SettlementQueue, { status: "unavailable" }>["reason"]): {
  queue: SettlementQueue;
} {
  return { queue: { status: "unavailable", reason } };
}

function runOf({ startedAt, finishedAt, result }: ReporterRun): Available["lastRun"] {
  return { startedAt: formatTimestamp(startedAt), finishedAt: timestampOrNull(finishedAt), result };
}

function submissionOf(submission: Submission): Available["latestSubmission"] {
  const { expected, previousSettledThroughRound, settledThroughRound } = submission;
  return {
    submissionId: submission.submissionId,
    lifecycle: submission.lifecycle,
    previousSettledThroughRound: String(previousSettledThroughRound),
    settledThroughRound: String(settledThroughRound),
    roundCount: String(settledThroughRound - previousSettledThroughRound),
    activeRoundCount: String(submission.activeRoundCount),
    expected: {
      cumulativeWork: String(expected.cumulativeWork),
      blockHeight: String(expected.blockHeight),
      currentWork: String(expected.currentWork),
      completedBlockCount: String(expected.completedBlockCount),
    },
    transactionHash: submission.transactionHash,
    preparedAt: formatTimestamp(submission.preparedAt),
    submittedAt: timestampOrNull(submission.submittedAt),
    terminalAt: timestampOrNull(submission.terminalAt),
    confirmedAt: timestampOrNull(submission.confirmedAt),
    outcomeCode: submission.outcomeCode,
  };
}

function timestampOrNull(epochMs: number | null): string | null {
  return epochMs === null ? null : formatTimestamp(epochMs);
}
