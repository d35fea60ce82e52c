import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { afterEach, beforeEach, expect, test } from "vitest";
import { FIRST_BATCH_BYTES, Intake } from "../../../src/ledger/intake/intake.ts";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";
import { testFolder } from "../../support/test-folder.ts";
import { ingest } from "../ingest.ts";
import { contents, emptyLedger, type Json, receipt, round, verdicts } from "../samples.ts";

let directory: string;
let path: string;
const open: Database[] = [];
beforeEach(() => {
  directory = testFolder();
  path = join(directory, "ledger.db");
});
afterEach(() => {
  for (const db of open.splice(0)) db.close();
});

function ledger(): Database {
  const db = openLedgerForIntake(path);
  db.pragma("busy_timeout = 0");
  open.push(db);
  return db;
}

function lines(...records: readonly Json[]): Buffer {
  return Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(""));
}

test("a ledger that another process writes to is locked, exit 75, and a retry loses nothing", () => {
  const [mine, other] = [ledger(), ledger()];
  other.exec("BEGIN IMMEDIATE");
  const intake = new Intake(mine);
  intake.write(lines(receipt(1)));
  expect(() => intake.flush()).toThrow(expect.objectContaining({ code: "ledger_locked" }));
  expect(intake.counts.accepted).toBe(0);
  other.exec("ROLLBACK");
  expect(ingest(mine, [receipt(1)])).toMatchObject({ accepted: 1 });
});

test("two alternating writers see each other's commits", () => {
  const [a, b] = [new Intake(ledger()), new Intake(ledger())];
  const step = (intake: Intake, record: Json) => {
    intake.write(lines(record));
    intake.flush();
  };
  step(a, receipt(1));
  step(b, receipt(2));
  step(a, receipt(3));
  step(b, receipt(3));
  step(b, receipt(2, { telemetryId: receipt(9).telemetryId, sequence: 9 }));
  step(a, round(1, { workUnits: String((2n ** 256n - 1n) / 1000n) }));
  step(b, round(2, { workUnits: "1" }));
  expect(a.end()).toEqual({ accepted: 3, duplicate: 0, rejected: 0 });
  expect(b.end()).toEqual({ accepted: 1, duplicate: 1, rejected: 2 });
  const positions = ledger().prepare("SELECT position, sequence FROM receipt ORDER BY position").raw().all();
  expect(positions).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
});

test("on a full disk the current batch is discarded, earlier ones are kept, and the same input completes it", () => {
  const db = ledger();
  const all = Array.from({ length: 3000 }, (_, n) => receipt(n + 1));
  const intake = new Intake(db);
  intake.write(lines(...all.slice(0, 100)));
  intake.flush();
  db.pragma(`max_page_count = ${Number(db.pragma("page_count", { simple: true })) + 20}`);
  expect(() => {
    intake.write(lines(...all.slice(100)));
    intake.flush();
  }).toThrow(expect.objectContaining({ code: "disk_full" }));
  expect(db.inTransaction).toBe(false);
  expect(db.prepare("SELECT count(*) FROM receipt").pluck().get()).toBe(100);
  db.pragma("max_page_count = 1000000");
  expect(ingest(db, all)).toMatchObject({ accepted: 2900, duplicate: 100 });
  const undisturbed = emptyLedger();
  ingest(undisturbed, all);
  expect(contents(db)).toEqual(contents(undisturbed));
});

test("a full batch is committed while chunks still arrive, and a strict run holds everything back", () => {
  const record = lines(receipt(1));
  const chunk = Buffer.concat(Array<Buffer>(1000).fill(record));
  for (const strict of [false, true]) {
    const intake = new Intake(ledger(), { strict });
    for (let bytes = 0; bytes < FIRST_BATCH_BYTES; bytes += chunk.length) intake.write(chunk);
    expect(intake.counts.duplicate > 0).toBe(!strict);
    const { accepted, duplicate } = intake.end();
    open.pop()?.close();
    expect(accepted + duplicate).toBe(Math.ceil(FIRST_BATCH_BYTES / chunk.length) * 1000);
  }
});

test("a stopped strict run leaves the ledger unchanged, and reads no more", () => {
  const db = ledger();
  verdicts(db, receipt(1), round(1));
  const before = contents(db);
  const rejected: number[] = [];
  const intake = new Intake(db, {
    strict: true,
    onRejected: (batch) => rejected.push(...batch.map(({ line }) => line)),
  });
  intake.write(lines(receipt(2), round(2), receipt(3, { installationId: "wheel-2" })));
  intake.flush();
  intake.write(lines(receipt(2, { rpmMilli: 1 }), receipt(4), round(2, { extra: 1 })));
  intake.flush();
  intake.write(lines({ nonsense: 1 }));
  expect(intake.stopped).toBe(true);
  expect(intake.end()).toEqual({ accepted: 0, duplicate: 0, rejected: 1 });
  expect(rejected).toEqual([4]);
  expect(contents(db)).toEqual(before);
});

test("an error while rejections are reported undoes the batch", () => {
  const db = ledger();
  const intake = new Intake(db, {
    onRejected: () => {
      throw new Error("the rejects file is gone");
    },
  });
  intake.write(lines(receipt(1), { nonsense: 1 }));
  expect(() => intake.flush()).toThrow("the rejects file is gone");
  expect(db.prepare("SELECT count(*) FROM receipt").pluck().get()).toBe(0);
  expect(db.prepare("SELECT count(*) FROM installation").pluck().get()).toBe(0);
});
