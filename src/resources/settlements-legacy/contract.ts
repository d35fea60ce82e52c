/** The contract of legacy settlements: v4 without the economy (docs/spec/api.md#legacy-settlements). */
import * as z from "zod";
import type { Contract } from "../contract.ts";
import {
  buckets,
  envelopeFields,
  HISTORY_RULES,
  historyFields,
  recentFields,
  recentSettlements,
  SETTLEMENT_RULES,
  unavailableFields,
} from "../settlements/contract.ts";

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

export const legacySettlementsContract = {
  operation: "legacySettlements",
  body: { name: "LegacySettlements", schema: legacySettlementsSchema },
  tag: "Chain",
  summary: "History of settlement batches, work only",
  description: "Like the current version, but without economy, mint and queue projection.",
  rules: SETTLEMENT_RULES,
} as const satisfies Contract;
