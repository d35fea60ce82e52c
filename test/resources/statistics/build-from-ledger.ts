/** Builds a statistics body from a ledger with the product's code, for tests. */
import type { Database } from "better-sqlite3";
import { advanceLedgerViews } from "../../../src/projections/advance.ts";
import { StepBudget } from "../../../src/projections/follow.ts";
import { openProjectionsInMemory } from "../../../src/projections/open.ts";
import type { Built } from "../../../src/resources/built.ts";
import { buildStatistics } from "../../../src/resources/statistics/build.ts";
import { readStatisticsFacts } from "../../../src/resources/statistics/facts.ts";
import { INSTALLATION } from "./history.ts";
import type { Question } from "./reference.ts";

/** Advances until nothing remains. */
export function advanceFully(
  ledger: Database,
  projections: Database,
  { genesis, at }: Pick<Question, "genesis" | "at">,
  microseconds?: number,
): void {
  const inputs = { ledger, installationId: INSTALLATION, genesis, at };
  while (advanceLedgerViews(projections, inputs, new StepBudget(microseconds)));
}

/** Uses projections that have been advanced. */
export function bodyOf(ledger: Database, projections: Database, question: Omit<Question, "installationId">): Built {
  const { range, at } = question;
  return buildStatistics(
    readStatisticsFacts(ledger, projections, { installationId: INSTALLATION, ...question }),
    range,
    at,
  );
}

/** Uses projections that are rebuilt. */
export function rebuiltBody(ledger: Database, question: Omit<Question, "installationId">): Built {
  const projections = openProjectionsInMemory();
  advanceFully(ledger, projections, question);
  const built = bodyOf(ledger, projections, question);
  projections.close();
  return built;
}

/** Every row derived from the ledger, and the position of each follower. */
export function contentOf(projections: Database): unknown {
  const tables = [
    "day_rounds",
    "active_interval",
    "waiting_round",
    "totals",
    "submission_state",
    "milestone_epoch",
    "milestone_day",
  ];
  const cursors = projections.prepare("SELECT name, version, position FROM cursor ORDER BY name").all();
  const rows = (table: string) => projections.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all();
  return [cursors, ...tables.map(rows)];
}
