/** docs/spec/api.md#settlements */
import type { Contract } from "../contract.ts";
import { settlementsSchema } from "./schema.ts";

/** Rules of both versions. */
export const SETTLEMENT_RULES = [
  "archivedSettlementCount is settlementCount minus the number of recentSettlements. docs/spec/api.md#settlements-rules 1",
  "The buckets fill the window and add up to summary; window is null and buckets empty for now. docs/spec/api.md#settlements-rules 2",
  "Settlements are newest first, inside the window, at or below the safe block. docs/spec/api.md#settlements-rules 3",
  "Each batch advances its frontier; completed blocks end at blockHeight, and their bounds are null exactly when the count is 0. docs/spec/api.md#settlements-rules 4",
  "Neighbours continue each other in rounds, work and blocks. docs/spec/api.md#settlements-rules 5",
] as const;

export const settlementsContract = {
  operation: "settlements",
  body: { name: "Settlements", schema: settlementsSchema },
  tag: "Chain",
  summary: "History of settlement batches",
  description: "With the state of each batch's reward mint; now means the totals of all time.",
  rules: [
    ...SETTLEMENT_RULES,
    "Mints are confirmed from the oldest on; a pending amount is a projection. docs/spec/api.md#settlements-rules 6",
    "queueProjection stands with queue=1 only, and is left out where there is none; it starts at the safe frontier. docs/spec/api.md#settlements-rules 7",
  ],
  clientParameters: "SettlementsParameters",
} as const satisfies Contract;
