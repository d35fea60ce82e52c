/** Made from the schema by test/client/bodies.test.ts: not by hand. */
import type { CalendarDate, DecimalString, Timestamp } from "./values.ts";

export type Statistics = {
  schemaVersion: 2;
  installationId: string;
  revision: string;
  generatedAt: Timestamp;
  range: "7d" | "30d";
  timezone: "UTC";
  window: { startAt: Timestamp; endAt: Timestamp; dayCount: 7 | 30; bucketSeconds: 1800; roundSeconds: 600 };
  lifetime: {
    acceptedWorkUnits: DecimalString;
    observedDistanceMm: DecimalString;
    settledBlockCount: DecimalString;
    settlementCount: DecimalString;
    settledWorkUnits: DecimalString;
    activeDayCount: number;
    coverageBps: number;
    firstObservedAt: Timestamp;
  };
  activity: {
    provenance: "accepted_rounds";
    coverage: { expectedRoundCount: number; observedRoundCount: number; coverageBps: number; complete: boolean };
    summary: {
      observedWorkUnits: DecimalString;
      observedDistanceMm: DecimalString;
      activeDayCount: number;
      inactiveDayCount: number;
      averageWorkPerActiveDayMilli: DecimalString | null;
      medianWorkPerActiveDay: DecimalString | null;
      averageDistancePerActiveDayMm: DecimalString | null;
      mostActiveDateWorkUnits: DecimalString | null;
      mostActiveDate: CalendarDate | null;
      peakWindowStartMinuteUtc: number | null;
    };
    days: {
      date: CalendarDate;
      coverage: { expectedRoundCount: number; observedRoundCount: number; coverageBps: number };
      observedWorkUnits: DecimalString;
      distanceMm: DecimalString | null;
      buckets: {
        startMinuteUtc: number;
        coverage: "complete" | "partial" | "missing" | "future";
        observedRoundCount: 0 | 1 | 2 | 3;
        workUnits: DecimalString | null;
      }[];
    }[];
    typicalDay: {
      startMinuteUtc: number;
      totalWorkUnits: DecimalString;
      observedDayCount: number;
      meanWorkMilli: DecimalString | null;
    }[];
  };
  records: {
    mostWorkHalfHour: { value: DecimalString; occurredAt: Timestamp; coverage: "complete" | "partial" } | null;
    mostWorkUtcDay: { value: DecimalString; occurredAt: Timestamp; coverage: "complete" | "partial" } | null;
    maximumDailyDistanceMm: { value: DecimalString; occurredAt: Timestamp; coverage: "complete" | "partial" } | null;
    peakObservedRpmMilli: { value: DecimalString; occurredAt: Timestamp; coverage: "complete" | "partial" } | null;
    peakObservedSpeedMmPerSecond: {
      value: DecimalString;
      occurredAt: Timestamp;
      coverage: "complete" | "partial";
    } | null;
    longestActiveWindowMinutes: {
      value: DecimalString;
      occurredAt: Timestamp;
      coverage: "complete" | "partial";
    } | null;
    longestActiveDayStreak: { value: DecimalString; occurredAt: Timestamp; coverage: "complete" | "partial" } | null;
  };
  blocks:
    | {
        status: "available";
        completedInRange: DecimalString;
        completedAllTime: DecimalString;
        averagePerActiveDayMilli: DecimalString;
        mostInDay: DecimalString;
        mostInDayDate: CalendarDate;
        zeroBlockDayCount: number;
        medianCompletionMs: number | null;
        p90CompletionMs: number | null;
      }
    | { status: "unavailable"; reason: "completion_boundaries_unavailable" | "insufficient_history" };
  rounds: {
    observedCount: number;
    activeCount: number;
    zeroWorkCount: number;
    missingCount: number;
    activeRateBps: number;
    averageActiveWorkMilli: DecimalString | null;
    medianActiveWork: DecimalString | null;
    p90ActiveWork: DecimalString | null;
    mostActiveWork: DecimalString | null;
  };
  oracle:
    | {
        status: "available";
        coverageStartsAt: Timestamp;
        completeForWindow: boolean;
        submissionCount: number;
        confirmedCount: number;
        revertedCount: number;
        supersededCount: number;
        zeroBlockSubmissionCount: number;
        confirmationRateBps: number;
        revertRateBps: number;
        submitP50Ms: number | null;
        submitP90Ms: number | null;
        finalityP50Ms: number | null;
        finalityP90Ms: number | null;
      }
    | { status: "unavailable"; reason: "projection_not_initialized" | "insufficient_history" };
};
