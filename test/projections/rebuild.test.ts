import { existsSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { hintOf } from "../../bin/cli/hints.ts";
import {
  advanceLedgerViews,
  areStatisticsBehind,
  forgetLedger,
  type LedgerInputs,
} from "../../src/projections/advance.ts";
import { StepBudget } from "../../src/projections/follow.ts";
import { openProjections, openProjectionsCopy } from "../../src/projections/open.ts";
import { type RebuildProgress, rebuildProjections } from "../../src/projections/rebuild.ts";
import { Failure } from "../../src/values/failure.ts";
import { advanceFully, contentOf } from "../resources/statistics/build-from-ledger.ts";
import { accept, emptyLedger, INSTALLATION } from "../resources/statistics/history.ts";
import { randomHistory } from "../resources/statistics/random-history.ts";
import { testFolder } from "../support/test-folder.ts";

const { facts, genesis, at } = randomHistory(7);
const ledger = emptyLedger();
accept(ledger, facts);
const inputs = { ledger, installationId: INSTALLATION, genesis, at };
const rebuild = (of: LedgerInputs & { readonly ledger: Database } = inputs) =>
  rebuildProjections(path, of, () => undefined);

let directory: string;
let path: string;
beforeEach(() => {
  directory = testFolder();
  path = join(directory, "projections.db");
});

test("rebuilt while a publisher has it open, the file has the same content, and the publisher continues", () => {
  const publisher = openProjections(path);
  advanceFully(ledger, publisher, { genesis, at });
  const before = contentOf(publisher);
  publisher.exec("DELETE FROM day_rounds; DELETE FROM totals; INSERT INTO saved_history VALUES ('k', 'c', '{}')");
  const seen: RebuildProgress[] = [];
  const rebuilt = rebuildProjections(path, inputs, (progress) => seen.push(progress));
  expect(contentOf(publisher)).toEqual(before);
  expect(publisher.prepare("SELECT body FROM saved_history").pluck().get()).toBe("{}");
  expect(rebuilt.rounds).toBeGreaterThan(0);
  for (const { done, total } of seen) expect(done).toBeLessThanOrEqual(total);
  advanceFully(ledger, publisher, { genesis, at });
  expect(contentOf(publisher)).toEqual(before);
  publisher.close();
});

test("a killed rebuild leaves a file from which the publisher continues, and which is marked as incomplete", () => {
  const publisher = openProjections(path);
  advanceFully(ledger, publisher, { genesis, at });
  const before = contentOf(publisher);
  const other = openProjections(path);
  forgetLedger(other);
  advanceLedgerViews(other, inputs, new StepBudget(1));
  other.close();
  expect(areStatisticsBehind(publisher, inputs)).toBe(true);
  advanceFully(ledger, publisher, { genesis, at });
  expect(areStatisticsBehind(publisher, inputs)).toBe(false);
  expect(contentOf(publisher)).toEqual(before);
  publisher.close();
});

test("without a genesis the rounds are left to the publisher", () => {
  const old = openProjections(path);
  advanceFully(ledger, old, { genesis, at });
  const before = contentOf(old);
  const { receipts } = rebuild({ ...inputs, genesis: undefined });
  expect(receipts).toBe(facts.filter(({ type }) => type === "receipt").length);
  expect(areStatisticsBehind(old, inputs)).toBe(true);
  advanceFully(ledger, old, { genesis, at });
  expect(contentOf(old)).toEqual(before);
  old.close();
});

test("a broken file is replaced", () => {
  const good = openProjections(path);
  advanceFully(ledger, good, { genesis, at });
  const before = contentOf(good);
  good.close();
  truncateSync(path, 20_000);
  rebuild();
  writeFileSync(path, "no database at all, but long enough to look like one ".repeat(20));
  rebuild();
  const live = openProjections(path);
  expect(contentOf(live)).toEqual(before);
  live.close();
});

test("another program's file is rejected and left unchanged", () => {
  const foreign = new SqliteDatabase(join(directory, "foreign.db"));
  foreign.exec("CREATE TABLE t (x)");
  foreign.close();
  expect(failureOf(() => openProjections(join(directory, "foreign.db"))).code).toBe("projections_foreign");
});

test("a file of another format is replaced, and a broken one fails with a hint", () => {
  const old = openProjections(path);
  advanceFully(ledger, old, { genesis, at });
  old.pragma("user_version = 99");
  old.close();
  const replaced = openProjections(path);
  expect(replaced.prepare("SELECT count(*) FROM day_rounds").pluck().get()).toBe(0);
  replaced.close();
  writeFileSync(path, "no database at all, but long enough to look like one ".repeat(20));
  const failure = failureOf(() => openProjections(path));
  expect(failure).toMatchObject({ code: "projections_not_a_database", exitCode: 74 });
  expect(hintOf(failure)).toContain("noonmark rebuild");
});

test("a copy leaves no extra files", () => {
  const live = openProjections(path);
  advanceFully(ledger, live, { genesis, at });
  const before = contentOf(live);
  const copy = openProjectionsCopy(path);
  expect(contentOf(copy)).toEqual(before);
  advanceFully(ledger, copy, { genesis: genesis + 600n, at });
  expect(contentOf(copy)).not.toEqual(before);
  expect(contentOf(live)).toEqual(before);
  copy.close();
  live.close();
  expect(contentOf(openProjectionsCopy(join(directory, "none.db")))).toBeDefined();
  expect(existsSync(join(directory, "none.db"))).toBe(false);
});

function failureOf(use: () => unknown): Failure {
  try {
    use();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error("did not fail");
}
