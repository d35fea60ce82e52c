/** Writes ledgers too large for tests with direct SQL inserts: a receipt every few seconds, and every round closed. */

import SqliteDatabase, { type Database } from "better-sqlite3";
import { LEDGER_APPLICATION_ID, LEDGER_SCHEMA, LEDGER_SCHEMA_VERSION } from "../../../src/ledger/schema.ts";
import { raiseWatermark } from "../../support/raise-watermark.ts";

/** Epoch seconds: a noon ten years before `LEDGER_END`. */
export const LEDGER_GENESIS = BigInt(Date.parse("2016-11-20T12:00:00Z") / 1000);
const BATCH = 16;

export interface LedgerSize {
  readonly receipts: number;
  /** Number of rounds. They always end at `LEDGER_END`. */
  readonly rounds: number;
}

/** 525,600 rounds: ten years of 365 days. */
export const TEN_YEARS = 525_600;
/** Epoch ms. */
export const LEDGER_END = Number(LEDGER_GENESIS) * 1000 + TEN_YEARS * 600_000;

/** Creates a ledger file with one installation, `wheel-1`. The file must not exist. */
export function writeLargeLedger(path: string, { receipts, rounds }: LedgerSize): void {
  const db = new SqliteDatabase(path);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = OFF");
  db.exec(LEDGER_SCHEMA);
  db.pragma(`application_id = ${LEDGER_APPLICATION_ID}`);
  db.pragma(`user_version = ${LEDGER_SCHEMA_VERSION}`);
  db.exec("INSERT INTO installation (no, id) VALUES (1, 'wheel-1')");
  // Random inserts into these two indexes dominate the time for ten million rows, and no bench looks receipts up by id.
  if (receipts > 1_000_000) db.exec("DROP INDEX receipt_telemetry; DROP INDEX receipt_sequence");
  const first = TEN_YEARS - rounds;
  db.transaction(() => {
    insertRounds(db, first, rounds);
    insertClosures(db, first, rounds);
    insertReceipts(db, receipts, rounds);
    raiseWatermark(db, 1, "round", rounds);
    raiseWatermark(db, 1, "closure", Math.ceil(rounds / BATCH));
    raiseWatermark(db, 1, "receipt", receipts);
  })();
  db.close();
}

/** Appends ten minutes of facts: a round, its closure and three receipts. */
export function appendRound(ledger: Database, round: number): void {
  ledger.transaction(() => {
    insertRounds(ledger, round, 1);
    ledger.exec(`INSERT INTO closure SELECT NULL, 1, printf('%020d', ${round}), printf('%020d', ${round}), 0`);
    const last = ledger.prepare("SELECT max(position) FROM receipt").pluck().get() as number;
    insertReceiptsBetween(ledger, { from: last + 1, to: last + 3 }, LEDGER_END, 3000);
    raiseWatermark(ledger, 1, "receipt", 3);
    for (const kind of ["round", "closure"] as const) raiseWatermark(ledger, 1, kind, 1);
  })();
}

function numbers(from: number, count: number): string {
  return `WITH RECURSIVE number(n) AS (SELECT ${from} UNION ALL SELECT n + 1 FROM number WHERE n < ${from + count - 1})`;
}

/** Rounds without work at night, varying work by day, and sometimes an unknown distance. */
function insertRounds(db: Database, from: number, count: number): void {
  db.exec(`${numbers(from, count)} INSERT INTO round SELECT NULL, 1, printf('%020d', n),
    CASE WHEN n % 144 < 40 THEN '0' ELSE CAST(100 + (n * 7919) % 4001 AS TEXT) END,
    CASE WHEN n % 1000 = 7 THEN NULL ELSE CAST((n * 7919) % 4001 * 9 AS TEXT) END, 1, 0 FROM number`);
}

function insertClosures(db: Database, from: number, count: number): void {
  db.exec(`${numbers(0, Math.ceil(count / BATCH))} INSERT INTO closure SELECT NULL, 1,
    printf('%020d', ${from} + n * ${BATCH}), printf('%020d', min(${from} + n * ${BATCH} + ${BATCH - 1}, ${from + count - 1})), 0
    FROM number`);
}

function insertReceipts(db: Database, count: number, rounds: number): void {
  if (count > 0)
    insertReceiptsBetween(db, { from: 1, to: count }, LEDGER_END - rounds * 600_000, (rounds * 600_000) / count);
}

interface Positions {
  readonly from: number;
  readonly to: number;
}

function insertReceiptsBetween(db: Database, { from, to }: Positions, start: number, every: number): void {
  db.exec(`${numbers(from, to - from + 1)} INSERT INTO receipt SELECT 1, n,
    lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || hex(randomblob(1)) || '0-8' || hex(randomblob(1)) || '0-' || hex(randomblob(6))),
    '3f1c2b6e-0d5a-4f5e-9a57-8d1f6a2c4b10', '7a9d0c3e-52b1-4c8f-b6de-1e9f7c5a3d24', n,
    CAST(${start} + (n - ${from}) * ${every} AS INTEGER), CAST(${start} + (n - ${from}) * ${every} AS INTEGER) + 250,
    CAST(n * 40 AS TEXT), 'hardware', '1.4.2', 'ACTIVE', (n * 7919) % 43000, (n * 104729) % 1500, n * 350 FROM number`);
}
