/** What is derived from the chain's events, as one: its tables, and one call that brings it to a cycle's state. */
import type { Database } from "better-sqlite3";
import type { ChainState } from "../chain/chain-state.ts";
import { CHAIN_PROGRESS_TABLE } from "./chain-events.ts";
import { SAVED_HISTORY_TABLE } from "./saved-history.ts";
import { advanceSettlements, SETTLEMENT_TABLES } from "./settlements.ts";

export const CHAIN_VIEW_TABLES = `${CHAIN_PROGRESS_TABLE}${SETTLEMENT_TABLES}${SAVED_HISTORY_TABLE}`;

export interface ChainViewInputs {
  readonly chain: ChainState;
  readonly chainDb: Database | undefined;
}

/** Idempotent; where the chain says nothing, what is derived stays as it is. */
export function advanceChainViews(projections: Database, { chain, chainDb }: ChainViewInputs): void {
  if (chain.core.status === "unavailable" || chainDb === undefined) return;
  advanceSettlements(projections, chainDb, chain.core.view.chain.safeThroughBlock);
}
