/** docs/spec/api.md#observations, the observation resource. */
import * as z from "zod";
import { uint256String } from "../../values/decimal.ts";
import { PROVENANCES } from "../../values/enums.ts";
import { count, installationIdField, timestamp, uuid } from "../fields.ts";

export const observationSchema = z.strictObject({
  cursor: z.string().min(1),
  telemetryId: uuid,
  bootId: uuid,
  counterEpoch: uuid,
  installationId: installationIdField,
  sequence: count,
  observedAt: timestamp,
  receivedAt: timestamp,
  cumulativeWorkUnits: uint256String,
  provenance: z.enum(PROVENANCES),
  softwareVersion: z.string(),
});

export const observationsSchema = z.strictObject({
  schemaVersion: z.literal(1),
  installationId: installationIdField,
  items: z.array(observationSchema).max(100),
  nextCursor: z.string().nullable(),
});
