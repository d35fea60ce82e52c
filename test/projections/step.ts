/** One step of everything that is derived, as a publisher takes it. */
import type { Database } from "better-sqlite3";
import type { ChainState } from "../../src/chain/chain-state.ts";
import { advanceChainViews, advanceLedgerViews, type LedgerInputs } from "../../src/projections/advance.ts";
import { StepBudget } from "../../src/projections/follow.ts";

export interface StepInputs extends LedgerInputs {
  readonly projections: Database;
  readonly chain: ChainState;
  readonly chainDb: Database;
}

/** True while there is more. */
export function step({ projections, ...inputs }: StepInputs, microseconds: number | undefined): boolean {
  return (
    advanceLedgerViews(projections, inputs, new StepBudget(microseconds)) ||
    advanceChainViews(projections, inputs, new StepBudget(microseconds))
  );
}
