/** docs/spec/api.md#telemetry, the telemetry resource. */
import * as z from "zod";
import { uint256String } from "../../values/decimal.ts";
import { CORE_STATUSES, PROVENANCES } from "../../values/enums.ts";
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
