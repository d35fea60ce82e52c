/**
 * The reads of a build do not grow with history: every read uses an index, and rows after the frontier are read once.
 */
import type { Database, Statement } from "better-sqlite3";
import { expect, test } from "vitest";
import { readProcessFacts } from "../../../src/resources/process/facts.ts";
import { accept, coreAt, INSTALLATION, ledgerOf } from "./history.ts";
import { AT, CASES, closure, EPOCH, GENESIS, receipt, round } from "./scenarios.ts";

/** Records the statements that are prepared on a ledger from now on, and the number of rows that are visited. */
function watched(ledger: Database) {
  const seen = { texts: new Set<string>(), rows: 0 };
  const prepare = ledger.prepare.bind(ledger);
  ledger.prepare = ((sql: string) => {
    seen.texts.add(sql);
    const found: Statement = prepare(sql);
    const iterate = found.iterate.bind(found);
    found.iterate = function* (...parameters: unknown[]) {
      for (const row of iterate(...parameters)) {
        seen.rows++;
        yield row;
      }
    };
    return found;
  }) as typeof ledger.prepare;
  return seen;
}

test("every read searches an index, and none scans or sorts", () => {
  for (const [name, it] of Object.entries(CASES)) {
    const ledger = ledgerOf(it.facts);
    const plan = ledger.prepare.bind(ledger);
    const { texts } = watched(ledger);
    readProcessFacts(ledger, { rowId: 1, id: INSTALLATION }, { core: it.core, genesisTimestamp: it.genesis });
    for (const sql of texts) {
      const steps = plan(`EXPLAIN QUERY PLAN ${sql}`).all(...Array(sql.split("?").length - 1).fill(1));
      for (const { detail } of steps as { detail: string }[]) expect(`${name}: ${detail}`).toMatch(/: SEARCH /);
    }
    ledger.close();
  }
});

test("after the first build a build reads only new rows, for any distance of the frontier", () => {
  const rounds = 3_000n;
  const end = Number(GENESIS) * 1000;
  const ledger = ledgerOf([{ type: "epoch", counterEpoch: EPOCH }]);
  ledger.exec("BEGIN");
  for (let id = 1n; id <= rounds; id++) {
    accept(ledger, round(id, id));
    accept(ledger, closure(id, id, AT));
    accept(ledger, receipt(end + Number(id) * 600_000 + 1, id * 10n));
  }
  ledger.exec("COMMIT");
  const seen = watched(ledger);
  const look = (frontier: bigint) =>
    readProcessFacts(
      ledger,
      { rowId: 1, id: INSTALLATION },
      { core: coreAt(frontier, 0n, 1_000n), genesisTimestamp: GENESIS - 600n * rounds },
    );
  const sum = (first: bigint, last: bigint) => ((first + last) * (last - first + 1n)) / 2n;

  expect(look(1n).rounds?.closed?.workUnits).toBe(sum(2n, rounds));
  expect(look(1n).openRoundWorkUnits).toBe((rounds - 1n) * 10n);
  seen.rows = 0;
  look(1n);
  expect(seen.rows).toBe(0);

  accept(ledger, round(rounds + 1n, 7n));
  accept(ledger, closure(rounds + 1n, rounds + 1n, AT));
  accept(ledger, receipt(AT + 10 ** 10, rounds * 10n + 3n));
  const next = look(1n);
  expect(next.rounds?.accepted?.workUnits).toBe(sum(2n, rounds) + 7n);
  expect(next.openRoundWorkUnits).toBe((rounds - 1n) * 10n + 3n);
  expect(seen.rows).toBe(4);

  seen.rows = 0;
  const settled = look(17n);
  expect(settled.rounds?.closed?.workUnits).toBe(sum(18n, rounds) + 7n);
  expect(settled.rounds?.accepted?.count).toBe(rounds + 1n - 17n);
  expect(seen.rows).toBe(32);

  expect(look(3n).rounds?.closed?.workUnits).toBe(sum(4n, rounds) + 7n);
  ledger.close();
});
