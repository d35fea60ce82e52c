/**
 * docs/spec/api.md#legacy-settlements, the legacy settlement history resource: as the current version without the
 * economy.
 */
import * as z from "zod";
import { HISTORY_RULES } from "../settlements/rules.ts";
import {
  buckets,
  envelopeFields,
  historyFields,
  recentFields,
  recentSettlements,
  unavailableFields,
} from "../settlements/schema-fields.ts";

const available = z.strictObject({
  schemaVersion: z.literal(3),
  ...envelopeFields,
  ...historyFields,
  recentSettlements: recentSettlements(recentFields),
  buckets,
});

export const legacySettlementsSchema = z.discriminatedUnion("status", [
  HISTORY_RULES.reduce((schema, [name, holds]) => schema.refine(holds, name), available),
  z.strictObject({ schemaVersion: z.literal(3), ...unavailableFields }),
]);
