/** Opens the ledger of accepted facts: for writing at intake, read-only for publishing. */
import type { Database } from "better-sqlite3";
import { type DatabaseKind, openForReading, openForWriting } from "../sqlite/open.ts";
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
