import { writeFileSync } from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { hintOf } from "../../bin/cli/failures.ts";
import { openProjections } from "../../src/projections/open.ts";
import { Failure } from "../../src/values/failure.ts";
import { advanceFully } from "../resources/statistics/build-from-ledger.ts";
import { accept, emptyLedger } from "../resources/statistics/history.ts";
import { randomHistory } from "../resources/statistics/random-history.ts";
import { testFolder } from "../support/test-folder.ts";

const { facts, genesis, at } = randomHistory(7);
const ledger = emptyLedger();
accept(ledger, facts);

let directory: string;
let path: string;
beforeEach(() => {
  directory = testFolder();
  path = join(directory, "projections.db");
});

test("another program's file is rejected and left unchanged", () => {
  const foreign = new SqliteDatabase(join(directory, "foreign.db"));
  foreign.exec("CREATE TABLE t (x)");
  foreign.close();
  expect(failureOf(() => openProjections(join(directory, "foreign.db"))).code).toBe("state_unusable");
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
  expect(failure).toMatchObject({ code: "state_damaged" });
  expect(hintOf(failure)).toContain("With projections.db, saved settlements");
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
