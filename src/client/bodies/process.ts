/** Made from the schema by test/client/bodies.test.ts: not by hand. */
import type { ChainHash, DecimalString, Timestamp, UuidString } from "./values.ts";

export type Process = {
  schemaVersion: 4;
  installationId: string;
  revision: string;
  generatedAt: Timestamp;
  measurement: {
    freshness: "online" | "stale";
    observedAt: Timestamp;
    receivedAt: Timestamp;
    staleAfterSeconds: 120;
    counterEpoch: UuidString;
    cumulativeWorkUnits: DecimalString;
    provenance: "hardware" | "simulated" | "replay" | "derived";
    coreStatus: "IDLE" | "ACTIVE" | "COUNTER_FAULT";
    rpmMilli: number;
    speedMmPerSecond: number;
    distanceMm: number;
  } | null;
  builder:
    | {
        status: "available";
        anchor: {
          settledThroughRound: DecimalString;
          cumulativeWork: DecimalString;
          blockHeight: DecimalString;
          currentWork: DecimalString;
          workPerBlock: DecimalString;
          confirmedAt: Timestamp | null;
          transactionHash: ChainHash | null;
        };
        queued: { closedRoundCount: DecimalString; closedWorkUnits: DecimalString; openRoundWorkUnits: DecimalString };
        projected: {
          lifecycle: "optimistic";
          cumulativeWork: DecimalString;
          blockHeight: DecimalString;
          currentWork: DecimalString;
          workPerBlock: DecimalString;
          firstCompletedBlock: DecimalString | null;
          lastCompletedBlock: DecimalString | null;
          completedBlockCount: DecimalString;
        };
      }
    | {
        status: "unavailable";
        reason:
          | "no_measurement"
          | "counter_fault"
          | "counter_epoch_unapproved"
          | "round_projection_gap"
          | "oracle_head_unavailable";
      };
  oracle: {
    state: "accepted" | "stale" | "blocked" | "unavailable";
    reason: string | null;
    latestAcceptedAt: Timestamp | null;
    latestClosure: {
      firstRound: DecimalString;
      lastRound: DecimalString;
      roundCount: DecimalString;
      acceptedAt: Timestamp;
    } | null;
  };
  settlementQueue:
    | {
        status: "available";
        state: "disabled" | "empty" | "ready" | "preparing" | "submitted" | "retrying" | "blocked" | "stale";
        settlementEnabled: boolean;
        reporterEnvironmentEnabled: boolean;
        buffered: {
          firstRound: DecimalString | null;
          lastRound: DecimalString | null;
          roundCount: DecimalString;
          activeRoundCount: DecimalString;
          workUnits: DecimalString;
        };
        projected: {
          lifecycle: "optimistic";
          cumulativeWork: DecimalString;
          blockHeight: DecimalString;
          currentWork: DecimalString;
          workPerBlock: DecimalString;
          firstCompletedBlock: DecimalString | null;
          lastCompletedBlock: DecimalString | null;
          completedBlockCount: DecimalString;
        };
        incidentOpen: boolean;
        blockedReason: string | null;
        lastRun: {
          startedAt: Timestamp;
          finishedAt: Timestamp | null;
          result: "submitted" | "nothing_to_submit" | "failed" | null;
        } | null;
        latestSubmission: {
          submissionId: UuidString;
          lifecycle: "preparing" | "submitted" | "retrying" | "confirmed" | "reverted" | "superseded";
          previousSettledThroughRound: DecimalString;
          settledThroughRound: DecimalString;
          roundCount: DecimalString;
          activeRoundCount: DecimalString;
          expected: {
            cumulativeWork: DecimalString;
            blockHeight: DecimalString;
            currentWork: DecimalString;
            completedBlockCount: DecimalString;
          };
          transactionHash: ChainHash | null;
          preparedAt: Timestamp;
          submittedAt: Timestamp | null;
          terminalAt: Timestamp | null;
          confirmedAt: Timestamp | null;
          outcomeCode: "reverted" | "superseded" | null;
        } | null;
      }
    | { status: "unavailable"; reason: "oracle_head_unavailable" | "round_projection_gap" | "round_ineligible" };
};
