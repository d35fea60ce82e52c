/**
 * A slow, simple reference implementation of the statistics over plain arrays, from the text of
 * docs/spec/api.md#statistics, without code of src/. Instants are milliseconds as bigint or number, and a day is a list
 * of its rounds.
 */
import { createHash } from "node:crypto";
import type { Fact, HistorySubmission } from "./history.ts";
import { activityOf, roundsOf } from "./reference-activity.ts";
import { recordsOf } from "./reference-records.ts";
import { DAY, elapsedStarts, floorBps, iso, noonAtOrBefore, type Observed, rank, sum } from "./reference-values.ts";

export interface Question {
  readonly installationId: string;
  /** Seconds. */
  readonly genesis: bigint;
  readonly range: "7d" | "30d";
  /** Epoch ms. */
  readonly at: number;
}

/** The body's text; undefined for 503 public_stats_rebuilding. */
export function referenceBody(history: readonly Fact[], question: Question): string | undefined {
  const { installationId, range, at } = question;
  const observed = observedRounds(history, question.genesis, at);
  const first = observed[0];
  if (first === undefined) return undefined;
  const dayCount = range === "7d" ? 7 : 30;
  const startAt = noonAtOrBefore(at) - (dayCount - 1) * DAY;
  const activity = activityOf(observed, startAt, dayCount, at);
  const submissions = newestRecords(history);
  const confirmed = submissions.filter(({ lifecycle }) => lifecycle === "confirmed");
  const head = { schemaVersion: 2, installationId };
  const tail = {
    generatedAt: iso(at),
    range,
    timezone: "UTC",
    window: { startAt: iso(startAt), endAt: iso(at), dayCount, bucketSeconds: 1800, roundSeconds: 600 },
    lifetime: {
      acceptedWorkUnits: String(sum(observed.map(({ work }) => work))),
      observedDistanceMm: String(sum(observed.map(({ distance }) => distance ?? 0n))),
      settledBlockCount: String(greatest(confirmed.map(({ blockHeight }) => blockHeight))),
      settlementCount: String(confirmed.length),
      settledWorkUnits: String(greatest(confirmed.map(({ cumulativeWork }) => cumulativeWork))),
      activeDayCount: new Set(observed.filter(({ work }) => work > 0n).map(({ start }) => noonAtOrBefore(start))).size,
      coverageBps: floorBps(observed.length, elapsedStarts(first.start, at, at).length),
      firstObservedAt: iso(first.start),
    },
    activity,
    records: recordsOf(observed, history),
    blocks: { status: "unavailable", reason: "completion_boundaries_unavailable" },
    rounds: roundsOf(observed, startAt, at),
    oracle: oracleOf(submissions, startAt, at),
  };
  const revision = createHash("sha256")
    .update(JSON.stringify({ ...head, ...tail }))
    .digest("base64url");
  return JSON.stringify({ ...head, revision, ...tail });
}

/** Ascending by start. */
function observedRounds(history: readonly Fact[], genesis: bigint, at: number): Observed[] {
  const closures = history.flatMap((fact) => (fact.type === "closure" ? fact : []));
  return history
    .flatMap((fact) => (fact.type === "round" ? fact : []))
    .filter(({ roundId }) => closures.some((c) => c.firstRound <= roundId && roundId <= c.lastRound))
    .filter(({ roundId }) => (genesis + (roundId + 1n) * 600n) * 1000n <= BigInt(at))
    .map(({ roundId, workUnits, distanceMm }) => ({
      start: Number((genesis + roundId * 600n) * 1000n),
      work: workUnits,
      distance: distanceMm,
    }))
    .sort((a, b) => a.start - b.start);
}

/** The state of each submission, from its last record. */
function newestRecords(history: readonly Fact[]): HistorySubmission[] {
  const submissions = new Map<string, HistorySubmission>();
  for (const fact of history) if (fact.type === "submission") submissions.set(fact.submissionId, fact);
  return [...submissions.values()];
}

function oracleOf(submissions: readonly HistorySubmission[], startAt: number, endAt: number): unknown {
  if (submissions.length === 0) return { status: "unavailable", reason: "projection_not_initialized" };
  const coverageStartsAt = Math.min(...submissions.map(({ preparedAt }) => preparedAt));
  const inWindow = submissions.flatMap((s) =>
    s.submittedAt !== null && startAt <= s.submittedAt && s.submittedAt <= endAt
      ? [{ ...s, submittedAt: s.submittedAt }]
      : [],
  );
  if (inWindow.length === 0 && coverageStartsAt > startAt) {
    return { status: "unavailable", reason: "insufficient_history" };
  }
  const count = (lifecycle: string) => inWindow.filter((s) => s.lifecycle === lifecycle).length;
  const submit = inWindow.map((s) => s.submittedAt - s.preparedAt);
  const finality = inWindow.flatMap((s) => (s.confirmedAt === null ? [] : [s.confirmedAt - s.submittedAt]));
  return {
    status: "available",
    coverageStartsAt: iso(coverageStartsAt),
    completeForWindow: coverageStartsAt <= startAt,
    submissionCount: inWindow.length,
    confirmedCount: count("confirmed"),
    revertedCount: count("reverted"),
    supersededCount: count("superseded"),
    zeroBlockSubmissionCount: inWindow.filter((s) => s.completedBlockCount === 0n).length,
    confirmationRateBps: floorBps(count("confirmed"), inWindow.length),
    revertRateBps: floorBps(count("reverted"), inWindow.length),
    submitP50Ms: rank(submit, 0.5),
    submitP90Ms: rank(submit, 0.9),
    finalityP50Ms: rank(finality, 0.5),
    finalityP90Ms: rank(finality, 0.9),
  };
}

function greatest(values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most), 0n);
}
