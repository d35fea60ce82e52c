/**
 * docs/spec/api.md#process, the process snapshot resource, its seven field rules as refinements that name themselves.
 */
import * as z from "zod";
import { uint64String, uint256String } from "../../values/decimal.ts";
import { CORE_STATUSES, PROVENANCES } from "../../values/enums.ts";
import { chainHash, count, installationIdField, timestamp, uuid } from "../fields.ts";
import { bufferedSchema, closureSchema, coreFields, keepsRule1, projectedSchema, RULE_1 } from "./fields.ts";
import { submissionSchema } from "./submission-schema.ts";

const measurementSchema = z.strictObject({
  freshness: z.enum(["online", "stale"]),
  observedAt: timestamp,
  receivedAt: timestamp,
  staleAfterSeconds: z.literal(120),
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
