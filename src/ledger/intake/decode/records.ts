/**
 * The record types (docs/spec/intake.md), each with its fields in the order in which they are shown there. These schemas are the
 * reference for what a record is; `decode-receipt.ts` is a faster reading of the first.
 */
import * as z from "zod";
import type { FactKind } from "../../schema.ts";
import {
  boolean,
  count,
  hash,
  health,
  installationId,
  object,
  positive,
  text,
  timestamp,
  uint64,
  uint256,
  uuid,
  word,
} from "./fields.ts";

export const PROVENANCES = ["hardware", "simulated", "replay", "derived"] as const;
export const CORE_STATUSES = ["IDLE", "ACTIVE", "COUNTER_FAULT"] as const;

const receipt = z.strictObject({
  type: z.literal("receipt"),
  installationId,
  telemetryId: uuid,
  bootId: uuid,
  counterEpoch: uuid,
  sequence: count.describe("the receipt's number within its bootId"),
  observedAt: timestamp,
  receivedAt: timestamp,
  cumulativeWorkUnits: uint64.describe("the counter of its counterEpoch; it never falls there"),
  provenance: word(...PROVENANCES),
  softwareVersion: text,
  coreStatus: word(...CORE_STATUSES),
  rpmMilli: count.describe("thousandths of a revolution a minute"),
  speedMmPerSecond: count.describe("millimetres a second"),
  distanceMm: count.describe("millimetres since its counterEpoch began; it never falls there"),
});

const epoch = z.strictObject({
  type: z.literal("epoch"),
  installationId,
  counterEpoch: uuid,
  approvedAt: timestamp,
});

const module = z.strictObject({
  type: z.literal("module"),
  installationId,
  instanceId: text,
  moduleType: text,
  driverId: text,
  moduleVersion: text,
  schemaVersion: positive,
  state: word("disabled", "starting", "ready", "degraded", "faulted", "stopped"),
  observedAt: timestamp,
  provenance: word(...PROVENANCES),
  health,
  data: object,
  resources: object,
  configuration: object,
  configurationVersion: text,
  enabled: boolean,
});

const round = z.strictObject({
  type: z.literal("round"),
  installationId,
  roundId: uint64,
  workUnits: uint256,
  distanceMm: uint256.nullable().describe("millimetres, null where it is not known"),
  eligible: boolean,
  closedAt: timestamp,
});

const closure = z.strictObject({
  type: z.literal("closure"),
  installationId,
  firstRound: uint64,
  lastRound: uint64,
  acceptedAt: timestamp,
});

const oracle = z.strictObject({
  type: z.literal("oracle"),
  installationId,
  blockedReason: text.nullable().describe("why, or null where nothing is blocked"),
  at: timestamp,
});

const submission = z.strictObject({
  type: z.literal("submission"),
  installationId,
  submissionId: uuid,
  lifecycle: word("preparing", "submitted", "retrying", "confirmed", "reverted", "superseded"),
  previousSettledThroughRound: uint64,
  settledThroughRound: uint64,
  activeRoundCount: count,
  expected: z.strictObject(
    { cumulativeWork: uint256, blockHeight: uint64, currentWork: uint64, completedBlockCount: uint64 },
    "must be an object",
  ),
  transactionHash: hash.nullable(),
  preparedAt: timestamp,
  submittedAt: timestamp.nullable(),
  terminalAt: timestamp.nullable(),
  confirmedAt: timestamp.nullable(),
  outcomeCode: text.nullable(),
});

const reporterRun = z.strictObject({
  type: z.literal("reporter_run"),
  installationId,
  startedAt: timestamp,
  finishedAt: timestamp.nullable(),
  result: word("submitted", "nothing_to_submit", "failed").nullable(),
});

const settlementControl = z.strictObject({
  type: z.literal("settlement_control"),
  installationId,
  settlementEnabled: boolean,
  reporterEnvironmentEnabled: boolean,
  blockedReason: text.nullable().describe("why, or null where nothing is blocked"),
  incidentOpen: boolean,
  at: timestamp,
});

export const RECORD_SCHEMAS = {
  receipt,
  epoch,
  module,
  round,
  closure,
  oracle,
  submission,
  reporter_run: reporterRun,
  settlement_control: settlementControl,
} as const satisfies Record<FactKind, z.ZodType>;

export type RecordOf<Kind extends FactKind> = z.output<(typeof RECORD_SCHEMAS)[Kind]>;
export type IntakeRecord = { [Kind in FactKind]: RecordOf<Kind> }[FactKind];
