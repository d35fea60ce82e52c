/**
 * The publisher's view of the ledger: a check for changes that takes microseconds, and short synchronous read
 * transactions (docs/spec/publishing.md#snapshot). A replaced file is opened again.
 */
import { statSync } from "node:fs";
import type { Database } from "better-sqlite3";
import { ledgerFailure } from "../../src/ledger/ledger-failure.ts";
import { openLedgerForReading, readLedger } from "../../src/ledger/open.ts";
import { type ReadOnlyDatabase, readNumber } from "../../src/sqlite/statement.ts";

/** A state of a ledger file. */
export interface LedgerVersion {
  readonly db: ReadOnlyDatabase;
  readonly version: number;
}

export class LedgerSource {
  readonly path: string;
  #db: Database;
  #file: string;
  #version = -1;

  /** Throws `Failure` ledger_…: missing, locked, newer, foreign or no database. */
  constructor(path: string) {
    this.path = path;
    this.#file = fileOf(path);
    this.#db = openLedgerForReading(path);
  }

  /** True if something was committed since the last acknowledged version, or if another file is at the path. */
  hasChanged(): boolean {
    return fileOf(this.path) !== this.#file || this.#dataVersion() !== this.#version;
  }

  /** Opens the file again if another one is at the path; returns true then. Throws as the constructor. */
  reopenReplaced(): boolean {
    const file = fileOf(this.path);
    if (file === this.#file) return false;
    const db = openLedgerForReading(this.path);
    this.#db.close();
    this.#db = db;
    this.#file = file;
    this.#version = -1;
    return true;
  }

  /** Must be called outside of a `read`, because data_version does not change inside a transaction. */
  version(): LedgerVersion {
    return { db: this.#db, version: this.#dataVersion() };
  }

  /** Records that everything up to this version is published. */
  acknowledge({ db, version }: LedgerVersion): void {
    if (db === this.#db) this.#version = version;
  }

  /** Calls `use` with one state of the ledger. `use` must not await. Throws `Failure` ledger_damaged. */
  read<T>(use: (ledger: Database) => T): T {
    return readLedger(this.#db, use);
  }

  close(): void {
    this.#db.close();
  }

  #dataVersion(): number {
    try {
      return readNumber(this.#db, "PRAGMA data_version");
    } catch (error) {
      // Another file was copied over it.
      throw ledgerFailure(error, this.path, "read");
    }
  }
}

/** Device and inode of a file. If it is missing, the next open fails. */
function fileOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? "none" : `${stat.dev}:${stat.ino}`;
}
