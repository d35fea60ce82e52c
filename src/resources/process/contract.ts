/**
 * The contract of process: its body and seven rules (docs/spec/api.md#process). Each rule is a refinement whose message
 * starts with the rule's number.
 */
import * as z from "zod";
import { uint64String, uint256String } from "../../values/decimal.ts";
import { CORE_STATUSES, PROVENANCES } from "../../values/enums.ts";
import { STALE_AFTER_SECONDS } from "../../values/freshness.ts";
import { MAX_ACTIVE_ROUNDS } from "../../values/settlement-limits.ts";
import type { Contract } from "../contract.ts";
import { chainHash, count, installationIdField, timestamp, uuid } from "../fields.ts";

const coreFields = {
  cumulativeWork: uint256String,
  blockHeight: uint64String,
  currentWork: uint64String,
  workPerBlock: uint64String,
};

function keepsRule1(value: { currentWork: string; workPerBlock: string }): boolean {
  return BigInt(value.workPerBlock) > 0n && BigInt(value.currentWork) < BigInt(value.workPerBlock);
}
const RULE_1 = "rule 1: workPerBlock is strictly positive and currentWork is below it";

const projectedSchema = z
  .strictObject({
    lifecycle: z.literal("optimistic"),
    ...coreFields,
    firstCompletedBlock: uint64String.nullable(),
    lastCompletedBlock: uint64String.nullable(),
    completedBlockCount: uint64String,
  })
  .refine(keepsRule1, RULE_1)
  .refine(
    ({ firstCompletedBlock: first, lastCompletedBlock: last, completedBlockCount: count, blockHeight }) =>
      count === "0"
        ? first === null && last === null
        : first !== null && last === blockHeight && spanOf(first, last) === BigInt(count),
    "rule 2: first and last completed block exist exactly for a nonzero count and are its inclusive suffix, ending at blockHeight",
  );

const ROUND_COUNT_RULE = "rule 3: roundCount is the span of the inclusive bounds";

/** Returns the number of rounds or blocks from `first` to `last`, both included. */
function spanOf(first: string, last: string): bigint {
  return BigInt(last) - BigInt(first) + 1n;
}

const closureSchema = z
  .strictObject({ firstRound: uint64String, lastRound: uint64String, roundCount: uint64String, acceptedAt: timestamp })
  .refine(
    ({ firstRound, lastRound, roundCount }) =>
      BigInt(roundCount) > 0n && spanOf(firstRound, lastRound) === BigInt(roundCount),
    ROUND_COUNT_RULE,
  );

const bufferedSchema = z
  .strictObject({
    firstRound: uint64String.nullable(),
    lastRound: uint64String.nullable(),
    roundCount: uint64String,
    activeRoundCount: uint64String,
    workUnits: uint256String,
  })
  .refine(
    ({ firstRound: first, lastRound: last, roundCount }) =>
      roundCount === "0"
        ? first === null && last === null
        : first !== null && last !== null && spanOf(first, last) === BigInt(roundCount),
    ROUND_COUNT_RULE,
  )
  .refine(
    ({ activeRoundCount, roundCount }) => BigInt(activeRoundCount) <= BigInt(roundCount),
    "activeRoundCount is at most roundCount",
  );

const TERMINAL: ReadonlySet<string> = new Set(["confirmed", "reverted", "superseded"]);

/** `latestSubmission` (docs/spec/api.md#process-queue), validated as strictly as docs/spec/intake.md#submission. */
const submissionSchema = z
  .strictObject({
    submissionId: uuid,
    lifecycle: z.enum(["preparing", "submitted", "retrying", "confirmed", "reverted", "superseded"]),
    previousSettledThroughRound: uint64String,
    settledThroughRound: uint64String,
    roundCount: uint64String,
    activeRoundCount: uint64String,
    expected: z.strictObject({
      cumulativeWork: uint256String,
      blockHeight: uint64String,
      currentWork: uint64String,
      completedBlockCount: uint64String,
    }),
    transactionHash: chainHash.nullable(),
    preparedAt: timestamp,
    submittedAt: timestamp.nullable(),
    terminalAt: timestamp.nullable(),
    confirmedAt: timestamp.nullable(),
    outcomeCode: z.enum(["reverted", "superseded"]).nullable(),
  })
  .refine(
    (it) => BigInt(it.roundCount) === BigInt(it.settledThroughRound) - BigInt(it.previousSettledThroughRound),
    "rule 4: roundCount is the new frontier minus the previous one",
  )
  .refine(
    (it) => BigInt(it.activeRoundCount) <= BigInt(it.roundCount) && BigInt(it.activeRoundCount) <= MAX_ACTIVE_ROUNDS,
    `rule 4: activeRoundCount is at most roundCount and at most ${MAX_ACTIVE_ROUNDS}`,
  )
  .refine(
    (it) => it.submittedAt !== null || !["submitted", "confirmed", "reverted"].includes(it.lifecycle),
    "rule 7: submitted, confirmed and reverted submissions have submittedAt",
  )
  .refine(
    (it) => (it.terminalAt !== null) === TERMINAL.has(it.lifecycle),
    "rule 7: terminalAt exists exactly in terminal lifecycles",
  )
  .refine(
    (it) => (it.confirmedAt !== null) === (it.lifecycle === "confirmed"),
    "rule 7: only confirmed submissions have confirmedAt",
  )
  .refine(
    (it) => it.outcomeCode === (it.lifecycle === "reverted" || it.lifecycle === "superseded" ? it.lifecycle : null),
    "rule 7: reverted and superseded submissions have the matching outcome code, others none",
  );

const measurementSchema = z.strictObject({
  freshness: z.enum(["online", "stale"]),
  observedAt: timestamp,
  receivedAt: timestamp,
  staleAfterSeconds: z.literal(STALE_AFTER_SECONDS),
  counterEpoch: uuid,
  cumulativeWorkUnits: uint64String,
  provenance: z.enum(PROVENANCES),
  coreStatus: z.enum(CORE_STATUSES),
  rpmMilli: count,
  speedMmPerSecond: count,
  distanceMm: count,
});

const builderSchema = z.discriminatedUnion("status", [
  z.strictObject({
    status: z.literal("available"),
    anchor: z
      .strictObject({
        settledThroughRound: uint64String,
        ...coreFields,
        confirmedAt: timestamp.nullable(),
        transactionHash: chainHash.nullable(),
      })
      .refine(keepsRule1, RULE_1),
    queued: z.strictObject({
      closedRoundCount: uint64String,
      closedWorkUnits: uint256String,
      openRoundWorkUnits: uint64String,
    }),
    projected: projectedSchema,
  }),
  z.strictObject({
    status: z.literal("unavailable"),
    reason: z.enum([
      "no_measurement",
      "counter_fault",
      "counter_epoch_unapproved",
      "round_projection_gap",
      "oracle_head_unavailable",
    ]),
  }),
]);

const oracleSchema = z
  .strictObject({
    state: z.enum(["accepted", "stale", "blocked", "unavailable"]),
    reason: z.string().min(1).nullable(),
    latestAcceptedAt: timestamp.nullable(),
    latestClosure: closureSchema.nullable(),
  })
  .refine(
    ({ state, latestAcceptedAt }) => (latestAcceptedAt === null) === (state === "unavailable"),
    "rule 5: latestAcceptedAt is null exactly when the oracle state is unavailable",
  )
  .refine(
    ({ state, reason }) => (reason === null) === (state === "accepted" || state === "stale"),
    "rule 5: states accepted and stale have no reason, blocked and unavailable have one",
  );

const queueSchema = z.discriminatedUnion("status", [
  z
    .strictObject({
      status: z.literal("available"),
      state: z.enum(["disabled", "empty", "ready", "preparing", "submitted", "retrying", "blocked", "stale"]),
      settlementEnabled: z.boolean(),
      reporterEnvironmentEnabled: z.boolean(),
      buffered: bufferedSchema,
      projected: projectedSchema,
      incidentOpen: z.boolean(),
      blockedReason: z.string().min(1).nullable(),
      lastRun: z
        .strictObject({
          startedAt: timestamp,
          finishedAt: timestamp.nullable(),
          result: z.enum(["submitted", "nothing_to_submit", "failed"]).nullable(),
        })
        .nullable(),
      latestSubmission: submissionSchema.nullable(),
    })
    .refine(
      ({ state, blockedReason }) => (state === "blocked") === (blockedReason !== null),
      "rule 6: the queue is blocked exactly when blockedReason is non-null",
    )
    .refine(
      ({ state, buffered }) => state !== "empty" || buffered.roundCount === "0",
      "rule 6: state empty has zero buffered rounds",
    )
    .refine(
      ({ state, buffered }) => state !== "ready" || buffered.roundCount !== "0",
      "rule 6: state ready has positive buffered rounds",
    ),
  z.strictObject({
    status: z.literal("unavailable"),
    reason: z.enum(["oracle_head_unavailable", "round_projection_gap", "round_ineligible"]),
  }),
]);

export const processSchema = z.strictObject({
  schemaVersion: z.literal(4),
  installationId: installationIdField,
  revision: z.string().min(1),
  generatedAt: timestamp,
  measurement: measurementSchema.nullable(),
  builder: builderSchema,
  oracle: oracleSchema,
  settlementQueue: queueSchema,
});

export type Process = z.infer<typeof processSchema>;
export type Builder = Process["builder"];
export type Oracle = Process["oracle"];
export type SettlementQueue = Process["settlementQueue"];
export type Projected = z.infer<typeof projectedSchema>;

export const processContract = {
  operation: "process",
  body: { name: "Process", schema: processSchema },
  tag: "Measurement",
  summary: "Measured, accepted, optimistic and queued work, apart",
  description: "A body that differs by generatedAt alone keeps its revision and gives 304.",
  rules: [
    "workPerBlock is positive and currentWork is below it. docs/spec/api.md#process-rules 1",
    "firstCompletedBlock and lastCompletedBlock exist exactly when completedBlockCount is not zero, and end at the projected blockHeight. docs/spec/api.md#process-rules 2",
    "roundCount of latestClosure and of buffered is the span of the inclusive bounds. docs/spec/api.md#process-rules 3",
    "roundCount of a submission is settledThroughRound minus previousSettledThroughRound; activeRoundCount is at most that and at most 16. docs/spec/api.md#process-rules 4",
    "latestAcceptedAt is null exactly when the Oracle is unavailable; accepted and stale have no reason, blocked and unavailable have one. docs/spec/api.md#process-rules 5",
    "The queue is blocked exactly when blockedReason is not null; empty has no buffered round, ready has at least one. docs/spec/api.md#process-rules 6",
    "Timestamps and outcomeCode of a submission follow its lifecycle. docs/spec/api.md#process-rules 7",
  ],
} as const satisfies Contract;
