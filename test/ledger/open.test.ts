import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hintOf } from "../../bin/cli/failures.ts";
import { openLedgerForIntake, openLedgerForReading } from "../../src/ledger/open.ts";
import { installationRowId, listInstallations, readWatermarks } from "../../src/ledger/watermarks.ts";
import type { Failure } from "../../src/values/failure.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "noonmark-open-"));
});
afterEach(() => {
  chmodSync(directory, 0o755);
  rmSync(directory, { recursive: true });
});

test("a reader sees committed facts, and cannot write", () => {
  const path = join(directory, "ledger.db");
  const writer = openLedgerForIntake(path);
  const reader = openLedgerForReading(path);
  expect(installationRowId(reader, "wheel-1")).toBeUndefined();
  writer.exec("INSERT INTO installation (id) VALUES ('wheel-1'); INSERT INTO watermark VALUES (1, 'receipt', 3)");
  expect(listInstallations(reader)).toEqual([{ rowId: 1, id: "wheel-1" }]);
  expect(readWatermarks(reader, 1)).toMatchObject({ receipt: 3, closure: 0 });
  expect(() => reader.exec("DELETE FROM installation")).toThrow(/readonly/);
  reader.close();
  writer.close();
});

test("in an unwritable directory a closed ledger is unreadable, but an open one is readable", () => {
  const path = join(directory, "ledger.db");
  const writer = openLedgerForIntake(path);
  // The operator enables another user to publish.
  for (const suffix of ["", "-wal", "-shm"]) chmodSync(path + suffix, 0o644);
  chmodSync(directory, 0o555);
  const reader = asNobody(() => openLedgerForReading(path));
  reader.close();
  chmodSync(directory, 0o755);
  writer.close();
  for (const leftover of ["-wal", "-shm"]) rmSync(path + leftover, { force: true });
  chmodSync(directory, 0o555);
  const failure = failureOf(() => asNobody(() => openLedgerForReading(path)));
  expect(failure).toMatchObject({ code: "ledger_unusable" });
  expect(hintOf(failure)).toContain("-shm");
  expect(failureOf(() => asNobody(() => openLedgerForIntake(path))).code).toBe("ledger_unusable");
});

test("any other file is recognised, and left unchanged", () => {
  const path = join(directory, "ledger.db");
  expect(failureOf(() => openLedgerForReading(path)).code).toBe("ledger_not_found");

  mkdirSync(join(directory, "folder"));
  expect(failureOf(() => openLedgerForReading(join(directory, "folder"))).code).toBe("ledger_unusable");
  expect(failureOf(() => openLedgerForIntake(join(directory, "folder"))).code).toBe("ledger_unusable");

  const text = join(directory, "text");
  writeFileSync(text, "receipts, a great many of them\n".repeat(100));
  expect(failureOf(() => openLedgerForIntake(join(text, "x", "ledger.db"))).code).toBe("ledger_unusable");
  for (const open of [openLedgerForReading, openLedgerForIntake]) {
    expect(failureOf(() => open(text))).toMatchObject({ code: "ledger_damaged" });
  }
  expect(readFileSync(text, "utf8")).toBe("receipts, a great many of them\n".repeat(100));

  const foreign = join(directory, "foreign.db");
  new SqliteDatabase(foreign).exec("CREATE TABLE tree (name TEXT)").close();
  const before = readFileSync(foreign);
  for (const open of [openLedgerForReading, openLedgerForIntake]) {
    expect(failureOf(() => open(foreign))).toMatchObject({ code: "ledger_unusable" });
  }
  expect(readFileSync(foreign).equals(before)).toBe(true);

  writeFileSync(join(directory, "empty.db"), "");
  expect(failureOf(() => openLedgerForReading(join(directory, "empty.db"))).code).toBe("ledger_not_found");
});

test("a ledger of another format is rejected for reading and for intake", () => {
  const path = join(directory, "ledger.db");
  const db = openLedgerForIntake(path);
  db.pragma("user_version = 3");
  db.close();
  for (const open of [openLedgerForReading, openLedgerForIntake]) {
    expect(failureOf(() => open(path))).toMatchObject({ code: "format_unknown" });
  }
});

function failureOf(open: () => { close(): unknown }): Failure {
  try {
    open().close();
  } catch (error) {
    return error as Failure;
  }
  throw new Error("nothing was thrown");
}

/** Root can write everywhere, so this runs as another user. */
function asNobody<T>(act: () => T): T {
  if (process.geteuid?.() !== 0) return act();
  process.seteuid?.(65534);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
  }
}
