/** What is derived from the chain's events, as one: its tables, and a call that brings it to a cycle's state. */
import type { Database } from "better-sqlite3";
import type { ChainState } from "../chain/chain-state.ts";
import { advanceChainActivity } from "./activity/activity-chain.ts";
import { ACTIVITY_TABLES } from "./activity/activity-events.ts";
import { MILESTONE_TABLES } from "./activity/milestone-state.ts";
import { TILE_TREE_TABLE } from "./activity/tile-tree.ts";
import { TILING_TABLE } from "./activity/tiling.ts";
import { CHAIN_PROGRESS_TABLE } from "./chain-events.ts";
import { SAVED_HISTORY_TABLE } from "./settlements/saved-history.ts";
import { advanceSettlements, SETTLEMENT_TABLES } from "./settlements/settlements.ts";
import { StepBudget } from "./step-budget.ts";

export const CHAIN_VIEW_TABLES = [
  CHAIN_PROGRESS_TABLE,
  SETTLEMENT_TABLES,
  SAVED_HISTORY_TABLE,
  ACTIVITY_TABLES,
  MILESTONE_TABLES,
  TILE_TREE_TABLE,
  TILING_TABLE,
].join("\n");

export interface ChainViewInputs {
  readonly chain: ChainState;
  readonly chainDb: Database | undefined;
}

/**
 * One step, without a budget all of it; true while there is more. Idempotent; where the chain says nothing, what is
 * derived stays as it is.
 */
export function advanceChainViews(
  projections: Database,
  { chain, chainDb }: ChainViewInputs,
  budget = new StepBudget(),
): boolean {
  if (chain.core.status === "unavailable" || chainDb === undefined) return false;
  const events = { projections, chain: chainDb, safeBlock: chain.core.view.chain.safeThroughBlock };
  return advanceSettlements(events, budget) || advanceChainActivity(events, budget);
}
