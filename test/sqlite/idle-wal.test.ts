import { statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openLedgerForIntake, openLedgerForReading } from "../../src/ledger/open.ts";
import { IdleWal } from "../../src/sqlite/idle-wal.ts";
import { testFolder } from "../support/test-folder.ts";

let folder: string;
let path: string;
let ledger: Database;
beforeEach(() => {
  folder = testFolder();
  path = join(folder, "ledger.db");
  ledger = openLedgerForIntake(path);
  ledger.exec("INSERT INTO installation (id) VALUES ('one')");
});
afterEach(() => {
  ledger.close();
});

const walBytes = () => statSync(`${path}-wal`).size;

test("the -wal file is emptied after ten idle seconds, and again after the next write", () => {
  const checkpoint = new IdleWal(ledger);
  checkpoint.look(0);
  checkpoint.look(9_999);
  expect(walBytes()).toBeGreaterThan(0);
  checkpoint.look(10_000);
  expect(walBytes()).toBe(0);
  ledger.exec("INSERT INTO installation (id) VALUES ('two')");
  checkpoint.look(20_000);
  expect(walBytes()).toBeGreaterThan(0);
  checkpoint.look(30_000);
  expect(walBytes()).toBe(0);
});

test("the -wal file is emptied once a running reader has ended, without blocking on it", () => {
  const reader = openLedgerForReading(path);
  const checkpoint = new IdleWal(ledger);
  reader.exec("BEGIN; SELECT * FROM installation");
  ledger.exec("INSERT INTO installation (id) VALUES ('two')");
  checkpoint.look(0);
  checkpoint.look(10_000);
  expect(walBytes()).toBeGreaterThan(0);
  reader.exec("COMMIT");
  checkpoint.look(20_000);
  expect(walBytes()).toBe(0);
  reader.close();
});
