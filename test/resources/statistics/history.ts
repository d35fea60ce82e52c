/**
 * A history of accepted facts as plain arrays, and its direct insertion into a ledger. It is the input of both the
 * statistics and their reference. Facts are in order of arrival.
 */
import type { Database } from "better-sqlite3";
import SqliteDatabase from "better-sqlite3";
import { LogWriter } from "../../../src/ledger/log.ts";
import { LEDGER_SCHEMA, paddedRound } from "../../../src/ledger/schema.ts";
import { readWatermarks } from "../../../src/ledger/watermarks.ts";

export interface HistoryRound {
  readonly type: "round";
  readonly roundId: bigint;
  readonly workUnits: bigint;
  readonly distanceMm: bigint | null;
}

export interface HistoryClosure {
  readonly type: "closure";
  readonly firstRound: bigint;
  readonly lastRound: bigint;
}

export interface HistoryReceipt {
  readonly type: "receipt";
  readonly counterEpoch: number;
  readonly observedAt: number;
  readonly rpmMilli: number;
  readonly speedMmPerSecond: number;
}

/** A repeated submissionId updates the submission. */
export interface HistorySubmission {
  readonly type: "submission";
  readonly submissionId: string;
  readonly lifecycle: "preparing" | "submitted" | "retrying" | "confirmed" | "reverted" | "superseded";
  readonly cumulativeWork: bigint;
  readonly blockHeight: bigint;
  readonly completedBlockCount: bigint;
  readonly preparedAt: number;
  readonly submittedAt: number | null;
  readonly confirmedAt: number | null;
}

export type Fact = HistoryRound | HistoryClosure | HistoryReceipt | HistorySubmission;

export const INSTALLATION = "wheel-1";

/** An empty in-memory ledger. */
export function emptyLedger(installations: readonly string[] = [INSTALLATION]): Database {
  const ledger = new SqliteDatabase(":memory:");
  ledger.exec(LEDGER_SCHEMA);
  for (const id of installations) ledger.prepare("INSERT INTO installation (id) VALUES (?)").run(id);
  return ledger;
}

/** Adds facts in one transaction, with watermarks and log entries as intake adds them. */
export function accept(ledger: Database, facts: readonly Fact[], installation = 1): void {
  const log = new LogWriter(ledger);
  ledger.transaction(() => {
    for (const fact of facts) {
      const count = readWatermarks(ledger, installation)[fact.type] + 1;
      insert(ledger, installation, fact, count);
      const text = JSON.stringify(fact, (_, value) => (typeof value === "bigint" ? String(value) : value));
      log.append(installation, text, fact.type === "receipt" ? count : null);
      ledger.prepare("INSERT OR REPLACE INTO watermark VALUES (?, ?, ?)").run(installation, fact.type, count);
    }
  })();
}

function insert(ledger: Database, installation: number, fact: Fact, watermark: number): void {
  switch (fact.type) {
    case "round":
      ledger
        .prepare("INSERT INTO round VALUES (NULL, ?, ?, ?, ?, 1, 0)")
        .run(installation, paddedRound(fact.roundId), String(fact.workUnits), fact.distanceMm?.toString() ?? null);
      break;
    case "closure":
      ledger
        .prepare("INSERT INTO closure VALUES (NULL, ?, ?, ?, 0)")
        .run(installation, paddedRound(fact.firstRound), paddedRound(fact.lastRound));
      break;
    case "receipt":
      insertReceipt(ledger, installation, watermark, fact);
      break;
    case "submission":
      insertSubmission(ledger, installation, watermark, fact);
      break;
  }
}

function insertReceipt(ledger: Database, installation: number, position: number, receipt: HistoryReceipt): void {
  ledger
    .prepare(`INSERT INTO receipt VALUES (?, ?, ?, ?, ?, ?, ?, ?, '0', 'hardware', '1', 'ACTIVE', ?, ?, 0)`)
    .run(
      installation,
      position,
      uuid(installation * 1_000_000 + position),
      uuid(0),
      uuid(receipt.counterEpoch),
      position,
      receipt.observedAt,
      receipt.observedAt,
      receipt.rpmMilli,
      receipt.speedMmPerSecond,
    );
}

function uuid(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
}

function insertSubmission(ledger: Database, installation: number, changedSeq: number, of: HistorySubmission): void {
  ledger
    .prepare(`INSERT OR REPLACE INTO submission VALUES (?, ?, ?, ?, ?, 0, ?, ?, '0', ?, NULL, ?, ?, NULL, ?, NULL, ?)`)
    .run(
      installation,
      of.submissionId,
      of.lifecycle,
      paddedRound(0n),
      paddedRound(16n),
      String(of.cumulativeWork),
      String(of.blockHeight),
      String(of.completedBlockCount),
      of.preparedAt,
      of.submittedAt,
      of.confirmedAt,
      changedSeq,
    );
  ledger
    .prepare("INSERT INTO submission_record VALUES (?, ?, ?)")
    .run(installation, of.submissionId, `${of.lifecycle} ${changedSeq}`);
}
