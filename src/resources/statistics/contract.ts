/** docs/spec/api.md#statistics */
import type { Contract } from "../contract.ts";
import { statisticsSchema } from "./rules.ts";

export const statisticsContract = {
  operation: "statistics",
  body: { name: "Statistics", schema: statisticsSchema },
  tag: "Measurement",
  summary: "Statistics over 7 or 30 universal days",
  description: "A universal day runs from noon UTC to noon. range is required, exactly once.",
  rules: [
    "dayCount and the number of days are 7 for 7d and 30 for 30d. docs/spec/api.md#statistics-rules 1",
    "Days are consecutive; the last contains generatedAt, which is window.endAt. docs/spec/api.md#statistics-rules 2",
    "Buckets stand in the order of the UTC clock. docs/spec/api.md#statistics-rules 3",
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
