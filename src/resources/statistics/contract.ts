/**
 * The contract of statistics: texts, and a body with aggregate rules (docs/spec/api.md#statistics-rules). A body that
 * breaks a rule is never published, and the error names the rule.
 */
import { DAY_MS } from "../../values/noon-day.ts";
import { SLOTS_PER_DAY } from "../../values/slot.ts";
import type { Contract } from "../contract.ts";
import { bps, meanMilli } from "./quotients.ts";
import { DAYS_OF_RANGE } from "./route.ts";
import { type Statistics, type StatisticsDay, statisticsShape } from "./schema.ts";

interface Rule {
  readonly name: string;
  readonly path: readonly string[];
  holds(body: Statistics): boolean;
}

const NOON = "T12:00:00.000Z";

const RULES: readonly Rule[] = [
  {
    name: "aggregate rule 1: dayCount and days follow the range",
    path: ["window", "dayCount"],
    holds: ({ range, window, activity }) =>
      window.dayCount === DAYS_OF_RANGE[range] && activity.days.length === window.dayCount,
  },
  {
    name: "aggregate rule 2: consecutive noon-to-noon days, from window.startAt to the one with generatedAt",
    path: ["activity", "days"],
    holds: ({ generatedAt, window, activity: { days } }) => {
      const start = Date.parse(window.startAt);
      const end = Date.parse(generatedAt);
      const last = start + (days.length - 1) * DAY_MS;
      const isConsecutive = days.every(({ date }, index) => Date.parse(date + NOON) === start + index * DAY_MS);
      return isConsecutive && window.endAt === generatedAt && last <= end && end < last + DAY_MS;
    },
  },
  {
    name: "aggregate rule 3: buckets in the order of the UTC clock",
    path: ["activity", "days"],
    holds: ({ activity: { days, typicalDay } }) =>
      [...days.map(({ buckets }) => buckets), typicalDay].every((slots) =>
        slots.every(({ startMinuteUtc }, index) => startMinuteUtc === index * 30),
      ),
  },
  {
    name: "aggregate rule 4: daily totals are sums of their buckets",
    path: ["activity", "days"],
    holds: ({ activity: { days } }) =>
      days.every(
        ({ coverage, observedWorkUnits, buckets }) =>
          coverage.observedRoundCount === sum(buckets, ({ observedRoundCount }) => observedRoundCount) &&
          BigInt(observedWorkUnits) === work(buckets.map(({ workUnits }) => workUnits)),
      ),
  },
  {
    name: "aggregate rule 4: response totals are sums of days",
    path: ["activity", "summary"],
    holds: ({ activity: { coverage, summary, days } }) =>
      coverage.expectedRoundCount === sum(days, (day) => day.coverage.expectedRoundCount) &&
      coverage.observedRoundCount === sum(days, (day) => day.coverage.observedRoundCount) &&
      BigInt(summary.observedWorkUnits) === work(days.map(({ observedWorkUnits }) => observedWorkUnits)) &&
      BigInt(summary.observedDistanceMm) === work(days.map(({ distanceMm }) => distanceMm)) &&
      summary.activeDayCount === days.filter(isActive).length,
  },
  {
    name: "aggregate rule 5: coverage is the floor of observed over expected, complete exactly at 10000",
    path: ["activity", "coverage"],
    holds: ({ activity: { coverage, days } }) =>
      [coverage, ...days.map((day) => day.coverage)].every(
        ({ observedRoundCount: observed, expectedRoundCount: expected, coverageBps }) =>
          observed <= expected && coverageBps === bps(observed, expected),
      ) && coverage.complete === (coverage.coverageBps === 10_000),
  },
  {
    name: "aggregate rule 6: inactive days are fully covered days without work",
    path: ["activity", "summary", "inactiveDayCount"],
    holds: ({ activity: { summary, days } }) =>
      summary.inactiveDayCount ===
      days.filter((day) => day.coverage.observedRoundCount === SLOTS_PER_DAY && !isActive(day)).length,
  },
  {
    name: "aggregate rule 7: the typical day is the mean of complete buckets",
    path: ["activity", "typicalDay"],
    holds: ({ activity: { days, typicalDay } }) =>
      typicalDay.every(({ totalWorkUnits, observedDayCount, meanWorkMilli }, index) => {
        const complete = days.flatMap(({ buckets }) => {
          const bucket = buckets[index];
          return bucket?.coverage === "complete" ? [bucket.workUnits] : [];
        });
        const total = work(complete);
        return (
          observedDayCount === complete.length &&
          BigInt(totalWorkUnits) === total &&
          meanWorkMilli === text(meanMilli(total, complete.length))
        );
      }),
  },
  {
    name: "aggregate rule 7: means are scaled by 1000",
    path: ["rounds", "averageActiveWorkMilli"],
    holds: ({ activity: { summary }, rounds }) => {
      const total = BigInt(summary.observedWorkUnits);
      return (
        summary.averageWorkPerActiveDayMilli === text(meanMilli(total, summary.activeDayCount)) &&
        rounds.averageActiveWorkMilli === text(meanMilli(total, rounds.activeCount))
      );
    },
  },
  {
    name: "aggregate rule 8: rounds are active, without work or missing",
    path: ["rounds"],
    holds: ({ activity: { coverage }, rounds }) =>
      rounds.activeCount + rounds.zeroWorkCount === rounds.observedCount &&
      rounds.observedCount === coverage.observedRoundCount &&
      rounds.missingCount === coverage.expectedRoundCount - rounds.observedCount &&
      rounds.activeRateBps === bps(rounds.activeCount, rounds.observedCount),
  },
  {
    name: "aggregate rule 9: lifetime totals are not below the range's",
    path: ["lifetime"],
    holds: ({ lifetime, activity: { summary } }) =>
      BigInt(lifetime.acceptedWorkUnits) >= BigInt(summary.observedWorkUnits) &&
      BigInt(lifetime.observedDistanceMm) >= BigInt(summary.observedDistanceMm) &&
      lifetime.activeDayCount >= summary.activeDayCount,
  },
  {
    name: "aggregate rule 10: outcomes, rates and completeness of the oracle's submissions",
    path: ["oracle"],
    holds: ({ oracle, window }) =>
      oracle.status === "unavailable" ||
      (oracle.confirmedCount + oracle.revertedCount + oracle.supersededCount <= oracle.submissionCount &&
        oracle.confirmationRateBps === bps(oracle.confirmedCount, oracle.submissionCount) &&
        oracle.revertRateBps === bps(oracle.revertedCount, oracle.submissionCount) &&
        oracle.completeForWindow === Date.parse(oracle.coverageStartsAt) <= Date.parse(window.startAt)),
  },
  {
    name: "aggregate rule 10: the 90th percentile is not below the median",
    path: ["oracle"],
    holds: ({ oracle, rounds, blocks }) =>
      isOrdered(rounds.medianActiveWork, rounds.p90ActiveWork) &&
      (blocks.status === "unavailable" || isOrdered(blocks.medianCompletionMs, blocks.p90CompletionMs)) &&
      (oracle.status === "unavailable" ||
        (isOrdered(oracle.submitP50Ms, oracle.submitP90Ms) && isOrdered(oracle.finalityP50Ms, oracle.finalityP90Ms))),
  },
  {
    name: "aggregate rule 11: aggregates over nothing are null, and only those",
    path: ["activity", "summary"],
    holds: ({ activity: { summary }, rounds }) =>
      [summary.averageWorkPerActiveDayMilli, summary.medianWorkPerActiveDay, summary.mostActiveDate].every(
        (value) => (value === null) === (summary.activeDayCount === 0),
      ) &&
      (summary.mostActiveDateWorkUnits === null) === (summary.mostActiveDate === null) &&
      (summary.averageDistancePerActiveDayMm === null || summary.activeDayCount > 0) &&
      [rounds.averageActiveWorkMilli, rounds.medianActiveWork, rounds.p90ActiveWork, rounds.mostActiveWork].every(
        (value) => (value === null) === (rounds.activeCount === 0),
      ),
  },
];

export const statisticsSchema = statisticsShape.check(({ value, issues }) => {
  for (const { name, path, holds } of RULES) {
    if (!holds(value)) issues.push({ code: "custom", message: name, path: [...path], input: value });
  }
});

function isActive({ observedWorkUnits }: StatisticsDay): boolean {
  return observedWorkUnits !== "0";
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

/** Sums decimal strings; null counts as 0. */
function work(values: readonly (string | null)[]): bigint {
  let total = 0n;
  for (const value of values) if (value !== null && value !== "0") total += BigInt(value);
  return total;
}

function text(value: bigint | null): string | null {
  return value === null ? null : String(value);
}

function isOrdered(lower: string | number | null, upper: string | number | null): boolean {
  return lower === null ? upper === null : upper !== null && BigInt(upper) >= BigInt(lower);
}

export const statisticsContract = {
  operation: "statistics",
  body: { name: "Statistics", schema: statisticsSchema },
  tag: "Measurement",
  summary: "Statistics over 7 or 30 universal days",
  description: "A universal day runs from noon UTC to noon. range is required, exactly once.",
  rules: [
    "dayCount and the number of days are 7 for 7d and 30 for 30d. docs/spec/api.md#statistics-rules 1",
    "Days are consecutive; the last contains generatedAt, which is window.endAt. docs/spec/api.md#statistics-rules 2",
    "Buckets are in the order of the UTC clock. docs/spec/api.md#statistics-rules 3",
    "Totals are sums of days, and days sums of their buckets. docs/spec/api.md#statistics-rules 4",
    "coverageBps is the floor of observed / expected × 10000; complete exactly at 10000. docs/spec/api.md#statistics-rules 5",
    "An inactive day is wholly observed and without work, never one with missing rounds. docs/spec/api.md#statistics-rules 6",
    "Means of typicalDay are over complete buckets; names in Milli are scaled by 1000. docs/spec/api.md#statistics-rules 7",
    "activeCount + zeroWorkCount = observedCount; missingCount = expected − observed. docs/spec/api.md#statistics-rules 8",
    "Lifetime totals are not below those of the range. docs/spec/api.md#statistics-rules 9",
    "Terminal outcomes are at most submissionCount, the denominator of both rates; a p90 is not below its median. docs/spec/api.md#statistics-rules 10",
    "Missing activity shows in coverage and null aggregates, never as zero work. docs/spec/api.md#statistics-rules 11",
  ],
  unavailable: ["public_stats_rebuilding"],
} as const satisfies Contract;
