/** The contract of telemetry: body, exchanges and texts (docs/spec/api.md#telemetry). */
import * as z from "zod";
import { uint256String } from "../../values/decimal.ts";
import { CORE_STATUSES, PROVENANCES } from "../../values/enums.ts";
import { STALE_AFTER_SECONDS } from "../../values/freshness.ts";
import { type Contract, UNKNOWN_IDS } from "../contract.ts";
import { installationIdField, timestamp, uuid } from "../fields.ts";

export const telemetrySchema = z.strictObject({
  schemaVersion: z.literal(1),
  installationId: installationIdField,
  revision: z.string().nullable(),
  status: z.enum(["online", "stale", "offline"]),
  observedAt: timestamp.nullable(),
  receivedAt: timestamp.nullable(),
  softwareVersion: z.string().nullable(),
  measurement: z
    .strictObject({
      counterEpoch: uuid,
      cumulativeWorkUnits: uint256String,
      provenance: z.enum(PROVENANCES),
      coreStatus: z.enum(CORE_STATUSES),
    })
    .nullable(),
});

export type Telemetry = z.infer<typeof telemetrySchema>;

/** Telemetry of an unknown id is a 200 with status offline (format: src/verify/exchanges/format.ts). */
const UNKNOWN_IS_OFFLINE = `& path/unknown-id
${UNKNOWN_IDS.map((id) => `GET /v1/public/installations/${id}/telemetry`).join("\n")}
200
? status = "offline"
? revision = null`;

const TELEMETRY_RULES = [
  `status depends only on the receipt's age: online up to and including ${STALE_AFTER_SECONDS} s, then stale; offline if no measurement was ever accepted. docs/spec/api.md#telemetry 2`,
  "Offline, every field but schemaVersion, installationId and status is null; an unknown id is offline, with 200. docs/spec/api.md#telemetry 3",
  "The revision names the receipt and not its age. docs/spec/api.md#telemetry 4",
];
const BODY = { name: "Telemetry", schema: telemetrySchema };

export const telemetryContract = {
  operation: "telemetry",
  body: BODY,
  tag: "Measurement",
  summary: "The newest accepted measurement",
  description: "For the configured installation.",
  rules: TELEMETRY_RULES,
} as const satisfies Contract;

export const installationTelemetryContract = {
  operation: "installationTelemetry",
  body: BODY,
  tag: "Measurement",
  summary: "The newest accepted measurement of an installation",
  description: "For any installation, by its id.",
  rules: TELEMETRY_RULES,
  exchanges: UNKNOWN_IS_OFFLINE,
} as const satisfies Contract;
