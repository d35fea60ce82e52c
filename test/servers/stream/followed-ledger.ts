/** Reads a ledger that a command fills. */
import SqliteDatabase from "better-sqlite3";
import { type LogPoint, logPoint } from "../../../src/ledger/log.ts";
import { openLedgerForReading } from "../../../src/ledger/open.ts";
import { until } from "../../support/processes.ts";

export interface FollowedLedger {
  /** The first column of the first row; undefined if there is no ledger yet. */
  value<T>(sql: string): T | undefined;
  /** Waits until the ledger has taken this message of the stream. */
  reaches(sequence: number): Promise<void>;
  receipts(): number | undefined;
  /** Size and root of its log. */
  log(): LogPoint;
}

export function ledgerAt(path: string): FollowedLedger {
  const value = <T>(sql: string): T | undefined => {
    let db: SqliteDatabase.Database;
    try {
      db = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
    } catch {
      return undefined;
    }
    try {
      return db.prepare(sql).pluck().get() as T | undefined;
    } catch (error) {
      // The command is creating the ledger.
      if ((error as Error).message.startsWith("no such table")) return undefined;
      throw error;
    } finally {
      db.close();
    }
  };
  return {
    value,
    reaches: (sequence) =>
      until(`message ${sequence} in ${path}`, () =>
        Promise.resolve((value<number>("SELECT sequence FROM followed_stream") ?? 0) >= sequence),
      ),
    receipts: () => value("SELECT count(*) FROM receipt"),
    log() {
      const db = openLedgerForReading(path);
      try {
        return logPoint(db);
      } finally {
        db.close();
      }
    },
  };
}
