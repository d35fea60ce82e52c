/**
 * Builds the process snapshot (docs/spec/api.md#process): the measurement, the Oracle's state, the optimistic blocks
 * and the settlement queue. Each section uses only its own facts, so they are never confused.
 */

import type { SafeCoreState } from "../../chain/chain-state.ts";
import { REVALIDATE } from "../../http/common-headers.ts";
import { etagOf } from "../../http/representation.ts";
import type { Receipt } from "../../ledger/read/receipts.ts";
import type { ReporterRun } from "../../ledger/read/reporter-runs.ts";
import type { Submission } from "../../ledger/read/submissions.ts";
import { completedBlocks } from "../../projections/settlements/settlements.ts";
import {
  FUTURE_ALLOWANCE_MS,
  REPORTER_STALE_AFTER_MS,
  STALE_AFTER_MS,
  STALE_AFTER_SECONDS,
  staleFrom,
} from "../../values/freshness.ts";
import { formatTimestamp, LATEST } from "../../values/timestamp.ts";
import { type Built, revisionOf } from "../built.ts";
import { type Builder, type Oracle, type Projected, processSchema, type SettlementQueue } from "./contract.ts";
import type { ProcessFacts, ProcessTime } from "./facts.ts";

/**
 * `at` is the body's instant and `seenAt` the clock when the facts were read, both in epoch ms. Throws a `ZodError`
 * that names the rule if the body breaks the schema.
 */
export function buildProcess(facts: ProcessFacts, at: number, seenAt = at): Built {
  const time = { at, seenAt };
  const { measurement, changesAt: measurementChangesAt } = measurementOf(facts.measurement?.receipt, time);
  const { oracle, changesAt: oracleChangesAt } = oracleOf(facts.oracle, time);
  const { queue, changesAt: queueChangesAt } = settlementQueueOf(facts, time);
  const head = { schemaVersion: 4, installationId: facts.installationId };
  const rest = { measurement, builder: builderOf(facts), oracle, settlementQueue: queue };
  const revision = revisionOf(JSON.stringify({ ...head, ...rest }));
  const process = processSchema.parse({ ...head, revision, generatedAt: formatTimestamp(at), ...rest });
  const changes = [measurementChangesAt, oracleChangesAt, queueChangesAt]
    .filter((instant) => instant !== undefined)
    // A timestamp's year has four digits, so there is no successor after 9999.
    .filter((instant) => instant <= LATEST);
  return {
    status: 200,
    headers: { etag: etagOf(revision), "cache-control": REVALIDATE },
    body: JSON.stringify(process),
    fingerprintText: revision,
    ...(changes.length === 0 ? {} : nextOf(facts, Math.min(...changes), seenAt)),
  };
}

/** A fact that was in the future when it was read is stale in every successor, even at its own instant. */
function nextOf(facts: ProcessFacts, nextChangeAt: number, seenAt: number): Pick<Built, "nextChangeAt" | "successor"> {
  const instants = [
    facts.measurement?.receipt.receivedAt,
    facts.oracle.accepted?.latestAt,
    facts.lastCompletion?.finishedAt,
  ];
  const isAhead = instants.some((instant) => instant !== undefined && instant - seenAt > FUTURE_ALLOWANCE_MS);
  return isAhead ? { nextChangeAt, successor: buildProcess(facts, nextChangeAt, seenAt) } : { nextChangeAt };
}

/**
 * `measurement` (docs/spec/api.md#process-measurement): the newest receipt, however old. `changesAt` is the first
 * instant (epoch ms) after `at` at which its freshness changes.
 */
function measurementOf(receipt: Receipt | undefined, time: ProcessTime): { measurement: unknown; changesAt?: number } {
  if (receipt === undefined) return { measurement: null };
  const changesAt = staleFrom(receipt.receivedAt, STALE_AFTER_MS, time);
  const measurement = {
    freshness: changesAt === undefined ? "stale" : "online",
    observedAt: formatTimestamp(receipt.observedAt),
    receivedAt: formatTimestamp(receipt.receivedAt),
    staleAfterSeconds: STALE_AFTER_SECONDS,
    counterEpoch: receipt.counterEpoch,
    cumulativeWorkUnits: receipt.cumulativeWorkUnits,
    provenance: receipt.provenance,
    coreStatus: receipt.coreStatus,
    rpmMilli: receipt.rpmMilli,
    speedMmPerSecond: receipt.speedMmPerSecond,
    distanceMm: receipt.distanceMm,
  };
  return changesAt === undefined ? { measurement } : { measurement, changesAt };
}

/**
 * `builder` (docs/spec/api.md#process-builder): the settled frontier, the work queued after it, and their sum. If
 * several reasons for `unavailable` apply, the first in the specification's order is used. A stale measurement is no
 * reason.
 */
function builderOf({ measurement, core, rounds, openRoundWorkUnits }: ProcessFacts): Builder {
  if (measurement === undefined) return { status: "unavailable", reason: "no_measurement" };
  if (measurement.receipt.coreStatus === "COUNTER_FAULT") return { status: "unavailable", reason: "counter_fault" };
  if (!measurement.isEpochApproved) return { status: "unavailable", reason: "counter_epoch_unapproved" };
  if (core === undefined || rounds === undefined) return { status: "unavailable", reason: "oracle_head_unavailable" };
  const { closed } = rounds;
  if (closed === undefined) return { status: "unavailable", reason: "round_projection_gap" };
  const { lastSettlement } = core;
  return {
    status: "available",
    anchor: {
      settledThroughRound: String(core.settledThroughRound),
      cumulativeWork: String(core.cumulativeWork),
      blockHeight: String(core.blockHeight),
      currentWork: String(core.currentWork),
      workPerBlock: String(core.workPerBlock),
      confirmedAt: lastSettlement === null ? null : formatTimestamp(lastSettlement.confirmedAt),
      transactionHash: lastSettlement === null ? null : lastSettlement.transactionHash,
    },
    queued: {
      closedRoundCount: String(closed.count),
      closedWorkUnits: String(closed.workUnits),
      openRoundWorkUnits: String(openRoundWorkUnits),
    },
    projected: project(core, closed.workUnits + openRoundWorkUnits),
  };
}

/**
 * `projected`: the Core after `added` more work units, and the blocks that the safe Core has not completed. It is
 * optimistic: neither a settlement nor a reward.
 */
function project(core: SafeCoreState, added: bigint): Projected {
  const { workPerBlock } = core;
  const cumulativeWork = core.cumulativeWork + added;
  // A Core that breaks rule 1 fails the schema, which names the rule. Avoid dividing by zero before that.
  const blockHeight = workPerBlock > 0n ? cumulativeWork / workPerBlock : core.blockHeight;
  return {
    lifecycle: "optimistic",
    cumulativeWork: String(cumulativeWork),
    blockHeight: String(blockHeight),
    currentWork: String(workPerBlock > 0n ? cumulativeWork % workPerBlock : core.currentWork),
    workPerBlock: String(workPerBlock),
    ...completedBlocks(core.blockHeight, blockHeight),
  };
}

/** The Oracle is stale when its newest acceptance is older than this. */
const ACCEPTANCE_STALE_AFTER_MS = 1_200_000;

/**
 * `oracle` (docs/spec/api.md#process-oracle): the accepted closed rounds, and if acceptance continues. `changesAt` is
 * the first instant (epoch ms) after `at` at which the state changes without new facts.
 */
function oracleOf(facts: ProcessFacts["oracle"], time: ProcessTime): { oracle: Oracle; changesAt?: number } {
  const { accepted, blockedReason } = facts;
  if (accepted === undefined) {
    const oracle = { reason: "no_accepted_closure", latestAcceptedAt: null, latestClosure: null };
    return { oracle: { state: "unavailable", ...oracle } };
  }
  const { latestAt, newest } = accepted;
  const rest = {
    reason: blockedReason,
    latestAcceptedAt: formatTimestamp(latestAt),
    latestClosure: {
      firstRound: String(newest.firstRound),
      lastRound: String(newest.lastRound),
      roundCount: String(newest.lastRound - newest.firstRound + 1n),
      acceptedAt: formatTimestamp(newest.acceptedAt),
    },
  };
  if (blockedReason !== null) return { oracle: { state: "blocked", ...rest } };
  const changesAt = staleFrom(latestAt, ACCEPTANCE_STALE_AFTER_MS, time);
  if (changesAt === undefined) return { oracle: { state: "stale", ...rest } };
  return { oracle: { state: "accepted", ...rest }, changesAt };
}

type Available = Extract<SettlementQueue, { status: "available" }>;

/**
 * `settlementQueue` (docs/spec/api.md#process-queue): the accepted rounds that await settlement, and the Reporter's
 * state. `changesAt` is the first instant (epoch ms) after `at` at which the state changes without new facts.
 */
function settlementQueueOf(facts: ProcessFacts, time: ProcessTime): { queue: SettlementQueue; changesAt?: number } {
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

/** Returns the first instant at which the Reporter is stale; undefined if it already is. */
function reporterStale({ lastCompletion }: ProcessFacts, time: ProcessTime): number | undefined {
  if (lastCompletion === undefined || lastCompletion.newerRunUnfinished) return undefined;
  return staleFrom(lastCompletion.finishedAt, REPORTER_STALE_AFTER_MS, time);
}

/** Returns the state, by the precedence in docs/spec/api.md#process-queue. */
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
