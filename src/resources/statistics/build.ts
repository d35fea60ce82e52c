/** docs/spec/api.md#statistics: the statistics over 7 or 30 noon-to-noon days, and the response while they are rebuilt. */

import { REVALIDATE } from "../../http/common-headers.ts";
import { unavailable } from "../../http/errors.ts";
import { etagOf } from "../../http/representation.ts";
import { slotAt, slotStart } from "../../values/slot.ts";
import { formatTimestamp } from "../../values/timestamp.ts";
import type { Built } from "../built.ts";
import { revisionOf } from "../revision.ts";
import type { StatisticsFacts } from "./read-facts.ts";
import { RECORD_NAMES, type RecordFact } from "./read-records.ts";
import type { StatisticsRange } from "./route.ts";
import { statisticsSchema } from "./rules.ts";
import type { Statistics } from "./schema.ts";
import { activityOf } from "./sections/build-activity.ts";
import { daysOf } from "./sections/build-days.ts";
import { oracleOf } from "./sections/build-oracle.ts";
import { roundsOf } from "./sections/build-rounds.ts";
import { bps } from "./sections/quotients.ts";
import { windowOf } from "./window.ts";

/**
 * `facts` as `readStatisticsFacts` returns them for this range and `at` (epoch ms). Without them the response is 503
 * public_stats_rebuilding, put only if no good body is stored. Throws a ZodError that names the rule if a body would break
 * one.
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
    identity: revision,
  };
}

/** In its place after installationId, without writing the whole text a second time. */
function withRevision(text: string, installationId: string, revision: string): string {
  const head = JSON.stringify({ schemaVersion: 2, installationId }).slice(0, -1);
  return `${head},"revision":"${revision}"${text.slice(head.length)}`;
}

const REBUILDING: Built = {
  ...unavailable("public_stats_rebuilding"),
  identity: "public_stats_rebuilding",
  isPlaceholder: true,
};

/** Everything but the revision, in the order of docs/spec/api.md#statistics. */
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
      dayCount: window.dayCount === 7 ? 7 : 30,
      bucketSeconds: 1800,
      roundSeconds: 600,
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
  return Object.fromEntries(
    RECORD_NAMES.map((name) => [name, publishedRecord(records[name])]),
  ) as Statistics["records"];
}

function publishedRecord(record: RecordFact | undefined): Statistics["records"][keyof Statistics["records"]] {
  if (record === undefined) return null;
  const { value, occurredAt, complete } = record;
  return { value: String(value), occurredAt: formatTimestamp(occurredAt), coverage: complete ? "complete" : "partial" };
}
