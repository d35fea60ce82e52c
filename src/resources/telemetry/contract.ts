/** docs/spec/api.md#telemetry */
import type { Contract } from "../contract.ts";
import { NOBODY_IS_OFFLINE } from "./exchanges.ts";
import { telemetrySchema } from "./schema.ts";

const TELEMETRY_RULES = [
  "status is the age of the receipt alone: online up to and including 120 s, then stale; offline while no measurement was ever accepted. docs/spec/api.md#telemetry 2",
  "Offline, every field but schemaVersion, installationId and status is null; an unknown id is offline, with 200. docs/spec/api.md#telemetry 3",
  "The revision names the receipt and not its age. docs/spec/api.md#telemetry 4",
];
const BODY = { name: "Telemetry", schema: telemetrySchema };

export const telemetryContract = {
  operation: "telemetry",
  body: BODY,
  tag: "Measurement",
  summary: "The newest accepted measurement",
  description: "Of the configured installation.",
  rules: TELEMETRY_RULES,
} as const satisfies Contract;

export const installationTelemetryContract = {
  operation: "installationTelemetry",
  body: BODY,
  tag: "Measurement",
  summary: "The newest accepted measurement of an installation",
  description: "Of any installation by its id.",
  rules: TELEMETRY_RULES,
  exchanges: NOBODY_IS_OFFLINE,
} as const satisfies Contract;
