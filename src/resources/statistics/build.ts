/** Builds statistics over 7 or 30 noon-to-noon days (docs/spec/api.md#statistics), and the 503 during a rebuild. */
import { REVALIDATE } from "../../http/common-headers.ts";
import { unavailable } from "../../http/errors.ts";
import { etagOf } from "../../http/representation.ts";
import type { SubmissionState, SubmissionTotals } from "../../projections/settlements/submissions.ts";
import { ROUND_SECONDS } from "../../values/round.ts";
import { slotAt, slotStart } from "../../values/slot.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import { recordOf } from "../../values/unknown.ts";
import { type Built, revisionOf } from "../built.ts";
import { statisticsSchema } from "./contract.ts";
import { activityOf, daysOf, textOrNull, type WindowDay } from "./days.ts";
import { RECORD_NAMES, type RecordFact, type StatisticsFacts, type Window, windowOf } from "./facts.ts";
import { ascendingOf, bps, meanMilli, median, nearestRank } from "./quotients.ts";
import type { StatisticsRange } from "./route.ts";
import type { Statistics } from "./schema.ts";

/**
 * `facts` come from `readStatisticsFacts` for this range and `at` (epoch ms). Without them the response is 503
 * public_stats_rebuilding, which is put only if no good body is stored. Throws a `ZodError` that names the rule if a
 * body breaks one.
 */
export function buildStatistics(facts: StatisticsFacts | undefined, range: StatisticsRange, at: number): Built {
  if (facts === undefined) return REBUILDING;
  const content = contentOf(facts, range, at);
  const text = JSON.stringify(content);
  const revision = revisionOf(text);
  statisticsSchema.parse({ ...content, revision });
  const body = withRevision(text, content.installationId, revision);
  return {
    status: 200,
    headers: { etag: etagOf(revision), "cache-control": REVALIDATE },
    body,
    fingerprintText: revision,
  };
}

/** Inserts the revision after installationId without serialising the body again. */
function withRevision(text: string, installationId: string, revision: string): string {
  const head = JSON.stringify({ schemaVersion: 2, installationId }).slice(0, -1);
  return `${head},"revision":"${revision}"${text.slice(head.length)}`;
}

const REBUILDING: Built = {
  ...unavailable("public_stats_rebuilding"),
  fingerprintText: "public_stats_rebuilding",
  isPlaceholder: true,
};

/** Returns all except the revision, in the order of docs/spec/api.md#statistics. */
function contentOf(facts: StatisticsFacts, range: StatisticsRange, at: number): Omit<Statistics, "revision"> {
  const window = windowOf(range, at);
  const days = daysOf(window, facts.days);
  return {
    schemaVersion: 2,
    installationId: facts.installationId,
    generatedAt: formatTimestamp(at),
    range,
    timezone: "UTC",
    window: {
      startAt: formatTimestamp(window.startAt),
      endAt: formatTimestamp(at),
      dayCount: window.dayCount,
      bucketSeconds: 1800,
      roundSeconds: ROUND_SECONDS,
    },
    lifetime: lifetimeOf(facts, at),
    activity: activityOf(days),
    records: recordsOf(facts),
    blocks: { status: "unavailable", reason: "completion_boundaries_unavailable" },
    rounds: roundsOf(days),
    oracle: oracleOf(window, facts.submissions, facts.submitted),
  };
}

function lifetimeOf({ totals, submissions }: StatisticsFacts, at: number): Statistics["lifetime"] {
  return {
    acceptedWorkUnits: String(totals.work),
    observedDistanceMm: String(totals.distance),
    settledBlockCount: String(submissions?.blockHeight ?? 0n),
    settlementCount: String(submissions?.confirmed ?? 0),
    settledWorkUnits: String(submissions?.cumulativeWork ?? 0n),
    activeDayCount: totals.activeDays,
    coverageBps: bps(totals.observed, slotAt(at) - totals.firstSlot),
    firstObservedAt: formatTimestamp(slotStart(totals.firstSlot)),
  };
}

function recordsOf({ records }: StatisticsFacts): Statistics["records"] {
  return recordOf(RECORD_NAMES, (name) => publishedRecord(records[name]));
}

function publishedRecord(record: RecordFact | undefined): Statistics["records"][keyof Statistics["records"]] {
  if (record === undefined) return null;
  const { value, occurredAt, complete } = record;
  return { value: String(value), occurredAt: formatTimestamp(occurredAt), coverage: complete ? "complete" : "partial" };
}

/** `rounds`: statistics over the window's single rounds. */
function roundsOf(days: readonly WindowDay[]): Statistics["rounds"] {
  const active: bigint[] = [];
  let total = 0n;
  let observed = 0;
  let expected = 0;
  for (const day of days) {
    expected += day.expected;
    observed += day.facts?.observed ?? 0;
    total += day.facts?.work ?? 0n;
    for (const work of day.facts?.rounds ?? []) if (work !== undefined && work > 0n) active.push(work);
  }
  const ascending = ascendingOf(active);
  return {
    observedCount: observed,
    activeCount: active.length,
    zeroWorkCount: observed - active.length,
    missingCount: expected - observed,
    activeRateBps: bps(active.length, observed),
    averageActiveWorkMilli: textOrNull(meanMilli(total, active.length)),
    medianActiveWork: textOrNull(median(ascending)),
    p90ActiveWork: textOrNull(nearestRank(ascending, 90)),
    mostActiveWork: textOrNull(nearestRank(ascending, 100)),
  };
}

/** `oracle` (docs/spec/api.md#statistics-lifetime): outcomes and durations of the window's submissions. */
function oracleOf(
  window: Window,
  totals: SubmissionTotals | undefined,
  submitted: readonly SubmissionState[],
): Statistics["oracle"] {
  if (totals === undefined) return { status: "unavailable", reason: "projection_not_initialized" };
  const completeForWindow = totals.firstPreparedAt <= window.startAt;
  if (submitted.length === 0 && !completeForWindow) return { status: "unavailable", reason: "insufficient_history" };
  const inLifecycle = (lifecycle: string) => submitted.filter((submission) => submission.lifecycle === lifecycle);
  const confirmed = inLifecycle("confirmed");
  const reverted = inLifecycle("reverted");
  const submit = Float64Array.from(submitted, ({ preparedAt, submittedAt }) => submittedAt - preparedAt).sort();
  const finality = Float64Array.from(
    confirmed.flatMap(({ submittedAt, confirmedAt }) => (confirmedAt === null ? [] : confirmedAt - submittedAt)),
  ).sort();
  return {
    status: "available",
    coverageStartsAt: formatTimestamp(totals.firstPreparedAt),
    completeForWindow,
    submissionCount: submitted.length,
    confirmedCount: confirmed.length,
    revertedCount: reverted.length,
    supersededCount: inLifecycle("superseded").length,
    zeroBlockSubmissionCount: submitted.filter(({ zeroBlock }) => zeroBlock === 1).length,
    confirmationRateBps: bps(confirmed.length, submitted.length),
    revertRateBps: bps(reverted.length, submitted.length),
    submitP50Ms: nearestRank(submit, 50),
    submitP90Ms: nearestRank(submit, 90),
    finalityP50Ms: nearestRank(finality, 50),
    finalityP90Ms: nearestRank(finality, 90),
  };
}
