/** docs/spec/api.md#settlements-legacy */
import type { Contract } from "../contract.ts";
import { SETTLEMENT_RULES } from "../settlements/contract.ts";
import { legacySettlementsSchema } from "./schema.ts";

export const legacySettlementsContract = {
  operation: "legacySettlements",
  body: { name: "LegacySettlements", schema: legacySettlementsSchema },
  tag: "Chain",
  summary: "History of settlement batches, work only",
  description: "As the current version, without economy, mint and queue projection.",
  rules: SETTLEMENT_RULES,
} as const satisfies Contract;
