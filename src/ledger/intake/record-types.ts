/**
 * The record types of intake (docs/spec/intake.md): form, meaning, rules between fields, and an example of each.
 * Decoding, the JSON Schemas, docs/facts.md and `ingest --example` use them; `accept/` adds records to the ledger.
 */
import * as z from "zod";
import { compareDecimals, isCanonicalDecimal } from "../../values/decimal.ts";
import { CORE_STATUSES, MODULE_STATES, PROVENANCES } from "../../values/enums.ts";
import { ROUND_SECONDS } from "../../values/round.ts";
import { MAX_ACTIVE_ROUNDS } from "../../values/settlement-limits.ts";
import { parseTimestamp } from "../../values/timestamp.ts";
import { FACT_KINDS, type FactKind } from "../schema.ts";
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
} from "./decode/fields.ts";
import { type Fault, fault } from "./fault.ts";

export type Json = Readonly<Record<string, unknown>>;

interface RecordType {
  /** One sentence for docs/facts.md. */
  readonly meaning: string;
  /** The fields that identify a record within its installation. */
  readonly key: readonly string[];
  /** The fields in the order of docs/facts.md, which is also the order of reported faults. */
  readonly schema: z.ZodType;
  /**
   * The instants that the receiving service set, none of which may be ahead of the clock. A receipt's observedAt and a
   * module's health come from the device's clock (docs/spec/intake.md#future).
   */
  readonly serviceInstants: readonly string[];
  /** Fields that are checked and not kept, because no route has them. Neither has the log. */
  readonly dropped?: readonly string[];
  /** Rules between fields, as sentences with the code and field of each rejection. */
  readonly rules?: readonly string[];
  /** The rules as JSON Schema, as far as it can express them. */
  readonly keywords?: Json;
  /** Returns a fault between two well-formed fields, even if other fields of the record are invalid. */
  readonly faultBetween?: (json: Json) => Fault | undefined;
  /** A valid record. A ledger accepts all of them in the order of the types. */
  readonly example: Json;
}

const receipt = {
  meaning: "An accepted measurement.",
  key: ["telemetryId"],
  schema: z.strictObject({
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
  }),
  serviceInstants: ["receivedAt"],
  rules: [
    "Within one counterEpoch, cumulativeWorkUnits never falls from one accepted receipt to the next: `counter_regression`; nor does distanceMm: `distance_regression`.",
    "Another receipt with the same bootId and sequence is a `conflict` of sequence.",
  ],
  example: {
    type: "receipt",
    installationId: "wheel-1",
    telemetryId: "018f6f2e-9c50-7a1b-8c2d-000000000001",
    bootId: "018f6f2e-0000-7a1b-8c2d-0000000000b1",
    counterEpoch: "018f6f2e-0000-7a1b-8c2d-0000000000e1",
    sequence: 12,
    observedAt: "2026-11-20T10:00:00.000Z",
    receivedAt: "2026-11-20T10:00:00.250Z",
    cumulativeWorkUnits: "123456",
    provenance: "hardware",
    softwareVersion: "1.4.2",
    coreStatus: "ACTIVE",
    rpmMilli: 43000,
    speedMmPerSecond: 612,
    distanceMm: 1234567,
  },
} as const satisfies RecordType;

const epoch = {
  meaning: "A counter epoch that the Oracle approved.",
  key: ["counterEpoch"],
  schema: z.strictObject({
    type: z.literal("epoch"),
    installationId,
    counterEpoch: uuid,
    approvedAt: timestamp,
  }),
  serviceInstants: ["approvedAt"],
  example: {
    type: "epoch",
    installationId: "wheel-1",
    counterEpoch: "018f6f2e-0000-7a1b-8c2d-0000000000e1",
    approvedAt: "2026-11-20T09:00:00.000Z",
  },
} as const satisfies RecordType;

const module = {
  meaning: "The newest snapshot of one module.",
  key: ["instanceId", "observedAt"],
  schema: z.strictObject({
    type: z.literal("module"),
    installationId,
    instanceId: text,
    moduleType: text,
    driverId: text,
    moduleVersion: text,
    schemaVersion: positive,
    state: word(...MODULE_STATES),
    observedAt: timestamp,
    provenance: word(...PROVENANCES),
    health,
    data: object,
    resources: object,
    configuration: object,
    configurationVersion: text,
    enabled: boolean,
  }),
  serviceInstants: ["observedAt"],
  dropped: ["data", "resources", "configuration", "configurationVersion", "enabled"],
  rules: ["A snapshot older than the stored one of the same instanceId is a duplicate, even if its content differs."],
  example: {
    type: "module",
    installationId: "wheel-1",
    instanceId: "encoder-0",
    moduleType: "encoder",
    driverId: "as5600",
    moduleVersion: "2.1.0",
    schemaVersion: 1,
    state: "ready",
    observedAt: "2026-11-20T10:00:00.000Z",
    provenance: "hardware",
    health: {
      checkedAt: "2026-11-20T09:59:59.000Z",
      message: "in tolerance",
      code: "ok",
    },
    data: {},
    resources: {},
    configuration: {},
    configurationVersion: "7",
    enabled: true,
  },
} as const satisfies RecordType;

const round = {
  meaning: `A closed round of ${ROUND_SECONDS} seconds.`,
  key: ["roundId"],
  schema: z.strictObject({
    type: z.literal("round"),
    installationId,
    roundId: uint64,
    workUnits: uint256,
    distanceMm: uint256.nullable().describe("millimetres; null if unknown"),
    eligible: boolean,
    closedAt: timestamp,
  }),
  serviceInstants: ["closedAt"],
  rules: [
    "A new round that would raise the installation's total of work or distance above (2^256 - 1) / 1000 is `out_of_range`.",
  ],
  example: {
    type: "round",
    installationId: "wheel-1",
    roundId: "4021",
    workUnits: "600",
    distanceMm: "5300",
    eligible: true,
    closedAt: "2026-11-20T10:10:00.000Z",
  },
} as const satisfies RecordType;

const closure = {
  meaning: "The Oracle accepted closed rounds.",
  key: ["firstRound", "lastRound"],
  schema: z.strictObject({
    type: z.literal("closure"),
    installationId,
    firstRound: uint64,
    lastRound: uint64,
    acceptedAt: timestamp,
  }),
  serviceInstants: ["acceptedAt"],
  rules: [
    "lastRound below firstRound is `invalid_field` of lastRound.",
    "Each round from firstRound to lastRound must have been accepted before: else `unknown_round`.",
    "No two closures overlap: `closure_overlap`.",
  ],
  faultBetween({ firstRound, lastRound }) {
    if (!isDecimal(firstRound) || !isDecimal(lastRound) || compareDecimals(lastRound, firstRound) >= 0)
      return undefined;
    return fault("invalid_field", "lastRound", "lastRound is below firstRound");
  },
  example: {
    type: "closure",
    installationId: "wheel-1",
    firstRound: "4021",
    lastRound: "4021",
    acceptedAt: "2026-11-20T10:12:00.000Z",
  },
} as const satisfies RecordType;

const oracle = {
  meaning: "The Oracle starts or stops blocking; the record with the latest `at` counts.",
  key: ["at"],
  schema: z.strictObject({
    type: z.literal("oracle"),
    installationId,
    blockedReason: text.nullable().describe("why, or null where nothing is blocked"),
    at: timestamp,
  }),
  serviceInstants: ["at"],
  example: {
    type: "oracle",
    installationId: "wheel-1",
    blockedReason: "signature_mismatch",
    at: "2026-11-20T10:15:00.000Z",
  },
} as const satisfies RecordType;

const NULL = { type: "null" };
const SET = { type: "string" };

const submission = {
  meaning: "A settlement submission; later records update it.",
  key: ["submissionId"],
  schema: z.strictObject({
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
  }),
  serviceInstants: ["preparedAt", "submittedAt", "terminalAt", "confirmedAt"],
  // `accept/accept-submission.ts` checks these rules.
  rules: [
    `settledThroughRound is above previousSettledThroughRound; activeRoundCount is at most their difference, and at most ${MAX_ACTIVE_ROUNDS}.`,
    "submittedAt is null in preparing and set in submitted, confirmed and reverted.",
    "terminalAt is set only in confirmed, reverted and superseded, confirmedAt only in confirmed.",
    "outcomeCode is `reverted` or `superseded` in the lifecycle of that name and null elsewhere.",
    "preparedAt ≤ submittedAt ≤ confirmedAt ≤ terminalAt for those that are set; no lifecycle moves back to preparing. All of these are `submission_invalid`.",
    "Another previousSettledThroughRound, settledThroughRound, expected or preparedAt of a known submissionId is a `conflict`; anything else new after confirmed, reverted or superseded is `submission_terminal`.",
  ],
  keywords: {
    allOf: [{ properties: { activeRoundCount: { type: "integer", maximum: Number(MAX_ACTIVE_ROUNDS) } } }],
    oneOf: [
      inLifecycle("preparing", { submittedAt: NULL, terminalAt: NULL, confirmedAt: NULL, outcomeCode: NULL }),
      inLifecycle("submitted", { submittedAt: SET, terminalAt: NULL, confirmedAt: NULL, outcomeCode: NULL }),
      inLifecycle("retrying", { terminalAt: NULL, confirmedAt: NULL, outcomeCode: NULL }),
      inLifecycle("confirmed", { submittedAt: SET, terminalAt: SET, confirmedAt: SET, outcomeCode: NULL }),
      inLifecycle("reverted", {
        submittedAt: SET,
        terminalAt: SET,
        confirmedAt: NULL,
        outcomeCode: { const: "reverted" },
      }),
      inLifecycle("superseded", { terminalAt: SET, confirmedAt: NULL, outcomeCode: { const: "superseded" } }),
    ],
  },
  example: {
    type: "submission",
    installationId: "wheel-1",
    submissionId: "018f6f2e-0000-7a1b-8c2d-00000000005b",
    lifecycle: "submitted",
    previousSettledThroughRound: "4000",
    settledThroughRound: "4016",
    activeRoundCount: 9,
    expected: {
      cumulativeWork: "48000",
      blockHeight: "48",
      currentWork: "0",
      completedBlockCount: "5",
    },
    transactionHash: "0x5b1f2e3d4c5b6a79880716253443526170819202a3b4c5d6e7f8091a2b3c4d5e",
    preparedAt: "2026-11-20T10:20:00.000Z",
    submittedAt: "2026-11-20T10:20:04.000Z",
    terminalAt: null,
    confirmedAt: null,
    outcomeCode: null,
  },
} as const satisfies RecordType;

function inLifecycle(lifecycle: string, properties: Json): Json {
  return { properties: { lifecycle: { const: lifecycle }, ...properties } };
}

const reporterRun = {
  meaning: "One run of the Reporter, open or finished.",
  key: ["startedAt"],
  schema: z.strictObject({
    type: z.literal("reporter_run"),
    installationId,
    startedAt: timestamp,
    finishedAt: timestamp.nullable(),
    result: word("submitted", "nothing_to_submit", "failed").nullable(),
  }),
  serviceInstants: ["startedAt", "finishedAt"],
  rules: [
    "finishedAt and result are null together, while the run lasts: else `invalid_field` of result.",
    "finishedAt before startedAt is `invalid_field` of finishedAt.",
  ],
  keywords: {
    oneOf: [{ properties: { finishedAt: NULL, result: NULL } }, { properties: { finishedAt: SET, result: SET } }],
  },
  faultBetween({ startedAt, finishedAt, result }) {
    const [started, finished] = [instantOf(startedAt), instantOf(finishedAt)];
    if (started !== undefined && finished !== undefined && finished < started) {
      return fault("invalid_field", "finishedAt", "finishedAt is before startedAt");
    }
    if ((finished !== undefined && result === null) || (finishedAt === null && typeof result === "string")) {
      return fault("invalid_field", "result", "finishedAt and result are null together, while the run lasts");
    }
    return undefined;
  },
  example: {
    type: "reporter_run",
    installationId: "wheel-1",
    startedAt: "2026-11-20T10:19:58.000Z",
    finishedAt: "2026-11-20T10:20:05.000Z",
    result: "submitted",
  },
} as const satisfies RecordType;

const settlementControl = {
  meaning: "The operator's switches; the record with the latest `at` counts.",
  key: ["at"],
  schema: z.strictObject({
    type: z.literal("settlement_control"),
    installationId,
    settlementEnabled: boolean,
    reporterEnvironmentEnabled: boolean,
    blockedReason: text.nullable().describe("why, or null where nothing is blocked"),
    incidentOpen: boolean,
    at: timestamp,
  }),
  serviceInstants: ["at"],
  example: {
    type: "settlement_control",
    installationId: "wheel-1",
    settlementEnabled: true,
    reporterEnvironmentEnabled: true,
    blockedReason: null,
    incidentOpen: false,
    at: "2026-11-20T09:00:00.000Z",
  },
} as const satisfies RecordType;

const TYPES = {
  receipt,
  epoch,
  module,
  round,
  closure,
  oracle,
  submission,
  reporter_run: reporterRun,
  settlement_control: settlementControl,
} as const satisfies Record<FactKind, RecordType>;

/** The record types by name, in documented order. */
export const RECORD_TYPES: {
  readonly [Kind in FactKind]: Omit<RecordType, "schema"> & Pick<(typeof TYPES)[Kind], "schema">;
} = TYPES;

export type RecordOf<Kind extends FactKind> = z.output<(typeof TYPES)[Kind]["schema"]>;
export type IntakeRecord = { [Kind in FactKind]: RecordOf<Kind> }[FactKind];

const INSTANTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(TYPES).map(([kind, { schema }]) => {
    const fields: [string, z.ZodType][] = Object.entries(schema.shape);
    const isInstant = (field: z.ZodType) =>
      field === timestamp || (field instanceof z.ZodNullable && field.unwrap() === timestamp);
    return [kind, fields.flatMap(([name, field]) => (isInstant(field) ? name : field === health ? "checkedAt" : []))];
  }),
);

/** Returns the fields of a kind that are instants: epoch ms in a decoded record, ISO 8601 in a log entry. */
export function instantFields(kind: FactKind): readonly string[] {
  return INSTANTS.get(kind) ?? [];
}

/** Returns the example as a line of NDJSON, without its line end. */
export function exampleLine(kind: FactKind): string {
  return JSON.stringify(RECORD_TYPES[kind].example);
}

/** Returns a log entry's record with the fields that its type drops. They get the values of the example. */
export function withDroppedFields(entry: Json): Json {
  const kind = FACT_KINDS.find((one) => one === entry.type);
  if (kind === undefined) return entry;
  const { dropped, example } = RECORD_TYPES[kind];
  if (dropped === undefined) return entry;
  return { ...entry, ...Object.fromEntries(dropped.map((name) => [name, example[name]])) };
}

function isDecimal(value: unknown): value is string {
  return typeof value === "string" && isCanonicalDecimal(value);
}

/** Returns the epoch ms of a field; undefined if it is not a timestamp. */
export function instantOf(value: unknown): number | undefined {
  return typeof value === "string" ? parseTimestamp(value) : undefined;
}
