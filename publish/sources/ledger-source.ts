/**
 * The ledger as the publisher reads it: whether it has moved since the last cycle, in microseconds, and one short
 * synchronous read transactions (docs/spec/publishing.md#snapshot). A file that was replaced is opened anew.
 */
import { statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { openLedgerForReading, readLedger } from "../../src/ledger/open.ts";
import { statement } from "../../src/sqlite/statement.ts";

/** How far a file had come. */
export interface LedgerVersion {
  readonly db: Database;
  readonly version: number;
}

export class LedgerSource {
  readonly path: string;
  #db: Database;
  #file: string;
  #version = -1;

  /** Throws `Failure` where the ledger is missing, locked, newer, foreign or no database. */
  constructor(path: string) {
    this.path = path;
    this.#file = fileOf(path);
    this.#db = openLedgerForReading(path);
  }

  /**
   * `replaced` when another file stands at the path (what was verified of the old one no longer counts), `moved` when
   * another connection has committed since the version that was settled last.
   */
  change(): "none" | "moved" | "replaced" {
    const file = fileOf(this.path);
    if (file !== this.#file) {
      const db = openLedgerForReading(this.path);
      this.#db.close();
      this.#db = db;
      this.#file = file;
      this.#version = -1;
      return "replaced";
    }
    return this.#dataVersion() === this.#version ? "none" : "moved";
  }

  /** Outside of a `read`: data_version stands still inside a transaction. */
  version(): LedgerVersion {
    return { db: this.#db, version: this.#dataVersion() };
  }

  /** All that had been committed by then is dealt with. */
  settle({ db, version }: LedgerVersion): void {
    if (db === this.#db) this.#version = version;
  }

  /** Everything in `use` sees one state of the ledger; it must not await. Throws `Failure` ledger_damaged. */
  read<T>(use: (ledger: Database) => T): T {
    return readLedger(this.#db, use);
  }

  close(): void {
    this.#db.close();
  }

  #dataVersion(): number {
    return statement<[], number>(this.#db, "PRAGMA data_version").pluck().get() as number;
  }
}

/** Device and inode; a missing file is told by the open that follows. */
function fileOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "none" : `${stat.dev}:${stat.ino}`;
}
