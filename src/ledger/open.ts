/** Opens the ledger of accepted facts: for writing at intake, read-only for publishing. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Database } from "better-sqlite3";
import { diskFull, isDiskFull } from "../files/disk-full.ts";
import { syncDirectory } from "../files/make-directory.ts";
import { makePrivateFile } from "../files/private-file.ts";
import { type DatabaseKind, openForReading, openForWriting } from "../sqlite/open.ts";
import { type ReadOnlyDatabase, readValue, run } from "../sqlite/statement.ts";
import { Failure } from "../values/failure.ts";
import { errorMessage } from "../values/unknown.ts";
import { checkLedger } from "./check.ts";
import { ledgerFailure } from "./ledger-failure.ts";
import { withFixedLog } from "./log.ts";
import { LEDGER_APPLICATION_ID, LEDGER_SCHEMA, LEDGER_SCHEMA_VERSION } from "./schema.ts";

const LEDGER: DatabaseKind = {
  name: "ledger",
  applicationId: LEDGER_APPLICATION_ID,
  schemaVersion: LEDGER_SCHEMA_VERSION,
  schema: LEDGER_SCHEMA,
};

/**
 * Opens the ledger for writing. Creates it and its directories if missing. Throws `Failure` (exit 74, or 75 if it is
 * locked): see `openForWriting`; `ledger_damaged`.
 */
export function openLedgerForIntake(path: string): Database {
  return checked(path, "write", () => openForWriting(path, LEDGER));
}

/**
 * Opens the ledger read-only. It must exist. Throws `Failure` (exit 74): see `openForReading`; `ledger_damaged`.
 */
export function openLedgerForReading(path: string): Database {
  return checked(path, "read", () => openForReading(path, LEDGER));
}

/**
 * Marks a ledger as a mirror of somebody else's log. A fact of its own would fork it from that log. The mark is a table,
 * so that ledgers without it need no other version of the format.
 */
export function markMirror(db: Database, source: string): void {
  db.exec("CREATE TABLE IF NOT EXISTS mirror (source TEXT NOT NULL) STRICT");
  if (readValue(db, "SELECT source FROM mirror") === undefined) run(db, "INSERT INTO mirror VALUES (?)", source);
}

/** Throws `Failure` ledger_is_mirror. */
export function refuseMirror(db: ReadOnlyDatabase): void {
  if (readValue(db, "SELECT 1 FROM sqlite_schema WHERE name = 'mirror'") === undefined) return;
  const source = readValue<string>(db, "SELECT source FROM mirror") ?? "another log";
  throw new Failure(
    "ledger_is_mirror",
    `the ledger ${db.name} is a mirror of ${source}, and takes no facts of its own`,
  );
}

/**
 * Copies a ledger that may be written to meanwhile. The copy has every committed fact. It is synced before it is renamed
 * into place. Throws `Failure` file_unwritable, disk_full.
 */
export function backUp(ledger: Database, path: string): void {
  const temporary = join(dirname(resolve(path)), `.${basename(path)}.${process.pid}.new`);
  try {
    makePrivateFile(temporary);
    ledger.prepare("VACUUM INTO ?").run(temporary);
    const file = openSync(temporary, "r");
    try {
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
    syncDirectory(dirname(resolve(path)));
  } catch (cause) {
    rmSync(temporary, { force: true });
    if (isDiskFull(cause)) throw diskFull(`the backup ${path}`, cause);
    throw new Failure("file_unwritable", `the backup ${path} cannot be written: ${errorMessage(cause)}`, { cause });
  }
}

/** Runs `use` in one read transaction. `use` must be synchronous. Throws `Failure`: see `ledgerFailure`. */
export function readLedger<T>(ledger: Database, use: (ledger: Database) => T): T {
  try {
    return ledger.transaction(() => withFixedLog(ledger, () => use(ledger)))();
  } catch (error) {
    throw ledgerFailure(error, ledger.name, "read");
  }
}

function checked(path: string, doing: "read" | "write", open: () => Database): Database {
  const db = open();
  try {
    checkLedger(db);
    return db;
  } catch (error) {
    db.close();
    throw ledgerFailure(error, path, doing);
  }
}
