import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { beforeEach, expect, test } from "vitest";
import { hintOf } from "../../bin/cli/failures.ts";
import { checkLedger } from "../../src/ledger/check.ts";
import { openLedgerForIntake, openLedgerForReading, readLedger } from "../../src/ledger/open.ts";
import { readNewestReceipt } from "../../src/ledger/read/receipts.ts";
import type { Failure } from "../../src/values/failure.ts";
import { testFolder } from "../support/test-folder.ts";
import { ingest } from "./ingest.ts";
import { receipt, round } from "./samples.ts";

const PAGE = 4096;
let directory: string;
let path: string;
beforeEach(() => {
  directory = testFolder();
  path = join(directory, "ledger.db");
  const db = openLedgerForIntake(path);
  ingest(db, [
    ...Array.from({ length: 600 }, (_, n) => receipt(n + 1)),
    ...Array.from({ length: 300 }, (_, n) => round(n + 1)),
  ]);
  db.close();
});

test("each damaged page except free ones is found at the start, by readers and by intake, and nothing is ingested", () => {
  const pages = statSync(path).size / PAGE;
  const good = readFileSync(path);
  for (let page = 1; page < pages; page++) {
    damagePage(page);
    const before = readFileSync(path);
    for (const open of [openLedgerForReading, openLedgerForIntake]) {
      const failure = failureOf(() => open(path).close());
      expect([page, failure?.code]).toEqual([page, "ledger_damaged"]);
      expect(failure && hintOf(failure)).toContain("backup");
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    restore(good);
  }
});

test("rows that were deleted cleanly are found by the watermarks", () => {
  const db = new SqliteDatabase(path);
  db.exec("DELETE FROM round WHERE round_id > '00000000000000000264'");
  db.close();
  const failure = failureOf(() => openLedgerForReading(path).close());
  expect(failure?.code).toBe("ledger_damaged");
  expect(failure?.message).toContain("it holds 264 of 300 round records");
});

test("facts that arrive during the check are no damage", () => {
  const writer = openLedgerForIntake(path);
  let arrived = 600;
  const onStatement = () => void ingest(writer, [receipt(++arrived)]);
  const reader = new SqliteDatabase(path, { readonly: true, verbose: onStatement });
  checkLedger(reader);
  expect(arrived).toBeGreaterThan(603);
  reader.close();
  writer.close();
});

test("pages damaged under an open ledger are ledger_damaged wherever they are read or written", () => {
  const reader = openLedgerForReading(path);
  const writer = openLedgerForIntake(path);
  for (let page = 2; page < statSync(path).size / PAGE; page++) damagePage(page);
  for (const db of [reader, writer]) db.pragma("shrink_memory");
  expect(failureOf(() => readLedger(reader, (ledger) => readNewestReceipt(ledger, 1)))?.code).toBe("ledger_damaged");
  expect(failureOf(() => ingest(writer, [receipt(601)]))?.code).toBe("ledger_damaged");
  reader.close();
  writer.close();
});

test("the ledger and SQLite's extra files are accessible only to their owner", () => {
  const db = openLedgerForIntake(join(directory, "own.db"));
  ingest(db, [receipt(1)]);
  for (const suffix of ["", "-wal", "-shm"]) {
    expect([suffix, statSync(join(directory, `own.db${suffix}`)).mode & 0o777]).toEqual([suffix, 0o600]);
  }
  db.close();
});

test("both ends of each table and index of a large ledger are read in bounded time", () => {
  const db = new SqliteDatabase(path);
  db.exec(`WITH RECURSIVE n (i) AS (SELECT 601 UNION ALL SELECT i + 1 FROM n WHERE i < 230000)
    INSERT INTO receipt SELECT 1, i, printf('00000000-0000-4000-9000-%012x', i), boot_id, counter_epoch, i, observed_at,
      received_at, cumulative_work_units, provenance, software_version, core_status, rpm_milli, speed_mm_per_second,
      distance_mm FROM n, receipt WHERE position = 1`);
  db.exec("UPDATE watermark SET value = 230000 WHERE kind = 'receipt'");
  db.close();
  expect(statSync(path).size).toBeGreaterThan(64 << 20);
  openLedgerForReading(path).close();
  copyFileSync(path, join(directory, "good.db"));
  const found = ["receipt", "receipt_telemetry", "receipt_sequence", "round", "watermark"].map((name) => {
    copyFileSync(join(directory, "good.db"), path);
    damagePage(rootOf(name) - 1);
    return failureOf(() => openLedgerForReading(path).close())?.code;
  });
  expect(new Set(found)).toEqual(new Set(["ledger_damaged"]));
});

function rootOf(name: string): number {
  const db = new SqliteDatabase(join(directory, "good.db"), { readonly: true });
  const root = db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(name) as number;
  db.close();
  return root;
}

/** Overwrites a page with garbage. The first page is 0. */
function damagePage(page: number): void {
  const fd = openSync(path, "r+");
  expect(fstatSync(fd).size).toBeGreaterThan(page * PAGE);
  writeSync(fd, Buffer.alloc(PAGE, 0xa5), 0, PAGE, page * PAGE);
  closeSync(fd);
}

function restore(bytes: Buffer): void {
  const fd = openSync(path, "w");
  writeSync(fd, bytes);
  closeSync(fd);
  for (const suffix of ["-wal", "-shm"]) if (existsSync(path + suffix)) rmSync(path + suffix);
}

function failureOf(act: () => unknown): Failure | undefined {
  try {
    act();
  } catch (error) {
    return error as Failure;
  }
  return undefined;
}
