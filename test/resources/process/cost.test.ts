/** The reads of a build do not grow with history: every read uses an index. */
import type { Database } from "better-sqlite3";
import { expect, test } from "vitest";
import { readProcessFacts } from "../../../src/resources/process/facts.ts";
import { INSTALLATION, ledgerOf } from "./history.ts";
import { CASES } from "./scenarios.ts";

/** The statements that are prepared on a ledger from now on. */
function watched(ledger: Database): ReadonlySet<string> {
  const texts = new Set<string>();
  const prepare = ledger.prepare.bind(ledger);
  ledger.prepare = ((sql: string) => {
    texts.add(sql);
    return prepare(sql);
  }) as typeof ledger.prepare;
  return texts;
}

test("every read searches an index, and none scans or sorts", () => {
  for (const [name, it] of Object.entries(CASES)) {
    const ledger = ledgerOf(it.facts);
    const plan = ledger.prepare.bind(ledger);
    const texts = watched(ledger);
    readProcessFacts(ledger, { rowId: 1, id: INSTALLATION }, { core: it.core, genesisTimestamp: it.genesis });
    for (const sql of texts) {
      const steps = plan(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(sql.split("?").length - 1).fill(1));
      for (const { detail } of steps as { detail: string }[]) expect(`${name}: ${detail}`).toMatch(/: SEARCH /);
    }
    ledger.close();
  }
});
