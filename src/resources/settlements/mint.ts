/** The mint of a batch (docs/spec/chain.md#derived): neither claimable nor claimed. */

import type { EconomyView } from "../../chain/chain-state.ts";
import { fundedAmount, type Settlement } from "../../projections/settlements/settlements.ts";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";

/** `completedBlockCount` is the batch's. */
export function mintOf(
  projections: ReadOnlyDatabase,
  economy: EconomyView,
  { previousRound, settledRound }: Settlement,
  completedBlockCount: bigint,
): { state: "pending" | "confirmed"; amountBaseUnits: string } {
  return economy.mintedThroughRound >= settledRound
    ? { state: "confirmed", amountBaseUnits: String(fundedAmount(projections, previousRound, settledRound)) }
    : { state: "pending", amountBaseUnits: String(completedBlockCount * economy.baselineRewardPerBlock) };
}
