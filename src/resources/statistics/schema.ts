/**
 * The fields of the statistics body, with the rules of its buckets (docs/spec/api.md#statistics, #statistics-buckets).
 * `contract.ts` adds the rules between fields.
 */
import * as z from "zod";
import { uint256String } from "../../values/decimal.ts";
import { ROUND_SECONDS } from "../../values/round.ts";
import { SLOTS_PER_DAY } from "../../values/slot.ts";
import { count, calendarDate as date, timestamp } from "../fields.ts";
import { DAYS_OF_RANGE, RANGES } from "./route.ts";

const MAX_DAYS = DAYS_OF_RANGE["30d"];
const MAX_ROUNDS = MAX_DAYS * SLOTS_PER_DAY;

/** 0 to 1410 in steps of 30. A literal is fast to check, and a body has about 1,500 of them. */
const startMinuteUtc = z.literal(Array.from({ length: 48 }, (_, index) => index * 30));

/** The rules of a bucket's coverage; messages name the rule. */
export const BUCKET_INVARIANTS = {
  complete: { counts: [3], known: true, rule: "bucket rule 1: complete has 3 rounds and work" },
  partial: { counts: [1, 2], known: true, rule: "bucket rule 2: partial has 1 or 2 rounds and work" },
  missing: { counts: [0], known: false, rule: "bucket rule 3: missing has no round and no work" },
  future: { counts: [0], known: false, rule: "bucket rule 3: future has no round and no work" },
} as const;

const bucketSchema = z
  .strictObject({
    startMinuteUtc,
    coverage: z.enum(["complete", "partial", "missing", "future"]),
    observedRoundCount: z.literal([0, 1, 2, 3]),
    workUnits: uint256String.nullable(),
  })
  .check(({ value, issues }) => {
    const { counts, known, rule } = BUCKET_INVARIANTS[value.coverage];
    const holds = counts.some((count) => count === value.observedRoundCount) && (value.workUnits !== null) === known;
    if (!holds) issues.push({ code: "custom", message: rule, input: value });
  });

const integer = (max: number) => z.int().min(0).max(max);
const bps = integer(10_000);
const decimalOrNull = uint256String.nullable();
const countOrNull = count.nullable();

const coverageOf = (rounds: number) =>
  ({ expectedRoundCount: integer(rounds), observedRoundCount: integer(rounds), coverageBps: bps }) as const;

const daySchema = z.strictObject({
  date,
  coverage: z.strictObject(coverageOf(SLOTS_PER_DAY)),
  observedWorkUnits: uint256String,
  distanceMm: decimalOrNull,
  buckets: z.array(bucketSchema).length(48),
});

const activity = z.strictObject({
  provenance: z.literal("accepted_rounds"),
  coverage: z.strictObject({ ...coverageOf(MAX_ROUNDS), complete: z.boolean() }),
  summary: z.strictObject({
    observedWorkUnits: uint256String,
    observedDistanceMm: uint256String,
    activeDayCount: integer(MAX_DAYS),
    inactiveDayCount: integer(MAX_DAYS),
    averageWorkPerActiveDayMilli: decimalOrNull,
    medianWorkPerActiveDay: decimalOrNull,
    averageDistancePerActiveDayMm: decimalOrNull,
    mostActiveDateWorkUnits: decimalOrNull,
    mostActiveDate: date.nullable(),
    peakWindowStartMinuteUtc: startMinuteUtc.nullable(),
  }),
  days: z.array(daySchema).min(DAYS_OF_RANGE["7d"]).max(MAX_DAYS),
  typicalDay: z
    .array(
      z.strictObject({
        startMinuteUtc,
        totalWorkUnits: uint256String,
        observedDayCount: integer(MAX_DAYS),
        meanWorkMilli: decimalOrNull,
      }),
    )
    .length(48),
});

const record = z
  .strictObject({ value: uint256String, occurredAt: timestamp, coverage: z.enum(["complete", "partial"]) })
  .nullable();

/** The publisher does not know when blocks completed, so it never renders the available branch. */
const blocks = z.discriminatedUnion("status", [
  z.strictObject({
    status: z.literal("available"),
    completedInRange: uint256String,
    completedAllTime: uint256String,
    averagePerActiveDayMilli: uint256String,
    mostInDay: uint256String,
    mostInDayDate: date,
    zeroBlockDayCount: integer(MAX_DAYS),
    medianCompletionMs: countOrNull,
    p90CompletionMs: countOrNull,
  }),
  z.strictObject({
    status: z.literal("unavailable"),
    reason: z.enum(["completion_boundaries_unavailable", "insufficient_history"]),
  }),
]);

const oracle = z.discriminatedUnion("status", [
  z.strictObject({
    status: z.literal("available"),
    coverageStartsAt: timestamp,
    completeForWindow: z.boolean(),
    submissionCount: count,
    confirmedCount: count,
    revertedCount: count,
    supersededCount: count,
    zeroBlockSubmissionCount: count,
    confirmationRateBps: bps,
    revertRateBps: bps,
    submitP50Ms: countOrNull,
    submitP90Ms: countOrNull,
    finalityP50Ms: countOrNull,
    finalityP90Ms: countOrNull,
  }),
  z.strictObject({
    status: z.literal("unavailable"),
    reason: z.enum(["projection_not_initialized", "insufficient_history"]),
  }),
]);

export const statisticsShape = z.strictObject({
  schemaVersion: z.literal(2),
  installationId: z.string().min(1).max(128),
  revision: z.string().min(1).max(256),
  generatedAt: timestamp,
  range: z.enum(RANGES),
  timezone: z.literal("UTC"),
  window: z.strictObject({
    startAt: timestamp,
    endAt: timestamp,
    dayCount: z.union([z.literal(DAYS_OF_RANGE["7d"]), z.literal(DAYS_OF_RANGE["30d"])]),
    bucketSeconds: z.literal(1800),
    roundSeconds: z.literal(ROUND_SECONDS),
  }),
  lifetime: z.strictObject({
    acceptedWorkUnits: uint256String,
    observedDistanceMm: uint256String,
    settledBlockCount: uint256String,
    settlementCount: uint256String,
    settledWorkUnits: uint256String,
    activeDayCount: count,
    coverageBps: bps,
    firstObservedAt: timestamp,
  }),
  activity,
  records: z.strictObject({
    mostWorkHalfHour: record,
    mostWorkUtcDay: record,
    maximumDailyDistanceMm: record,
    peakObservedRpmMilli: record,
    peakObservedSpeedMmPerSecond: record,
    longestActiveWindowMinutes: record,
    longestActiveDayStreak: record,
  }),
  blocks,
  rounds: z.strictObject({
    observedCount: integer(MAX_ROUNDS),
    activeCount: integer(MAX_ROUNDS),
    zeroWorkCount: integer(MAX_ROUNDS),
    missingCount: integer(MAX_ROUNDS),
    activeRateBps: bps,
    averageActiveWorkMilli: decimalOrNull,
    medianActiveWork: decimalOrNull,
    p90ActiveWork: decimalOrNull,
    mostActiveWork: decimalOrNull,
  }),
  oracle,
});

export type Statistics = z.infer<typeof statisticsShape>;
export type StatisticsDay = z.infer<typeof daySchema>;
