/** One step of all projections, as a publisher takes it, and the rows that it derives. */
import type { Database } from "better-sqlite3";
import type { ChainState } from "../../src/chain/chain-state.ts";
import { advanceChainViews, advanceLedgerViews, type LedgerInputs } from "../../src/projections/advance.ts";
import { StepBudget } from "../../src/projections/follow.ts";

export interface StepInputs extends LedgerInputs {
  readonly projections: Database;
  readonly chain: ChainState;
  readonly chainDb: Database;
}

/** Returns true while there is more. */
export function step({ projections, ...inputs }: StepInputs, microseconds: number | undefined): boolean {
  return (
    advanceLedgerViews(projections, inputs, new StepBudget(microseconds)) ||
    advanceChainViews(projections, inputs, new StepBudget(microseconds))
  );
}

/**
 * Tables whose rows may differ after a rebuild: cursors and activity categories count changes, existing tiles are kept,
 * and a saved history is what was published.
 */
const WITHOUT = ["cursor", "activity_category", "activity_tile", "saved_history"];

/** The rows of each table that must equal a rebuild, sorted. */
export function rowsOf(projections: Database): Record<string, string[]> {
  const sql = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name";
  const tables = projections.prepare(sql).pluck().all() as string[];
  const rows = (name: string) => projections.prepare(`SELECT * FROM ${name}`).raw().all() as unknown[];
  const text = (name: string) => rows(name).map((row) => JSON.stringify(row));
  return Object.fromEntries(tables.filter((name) => !WITHOUT.includes(name)).map((name) => [name, text(name).sort()]));
}
