/** Opens the ledger of accepted facts: for writing at intake, and read only at publishing. */
import type { Database } from "better-sqlite3";
import { type DatabaseKind, openForReading, openForWriting } from "../sqlite/open.ts";
import { checkLedger } from "./check.ts";
import { ledgerFailure } from "./ledger-failure.ts";
import { LEDGER_APPLICATION_ID, LEDGER_SCHEMA, LEDGER_SCHEMA_VERSION, LEDGER_UPGRADES } from "./schema.ts";

const LEDGER: DatabaseKind = {
  name: "ledger",
  applicationId: LEDGER_APPLICATION_ID,
  schemaVersion: LEDGER_SCHEMA_VERSION,
  schema: LEDGER_SCHEMA,
  upgrades: LEDGER_UPGRADES,
};

/**
 * The ledger for writing. It is made with its directories if it is missing, and brought to this schema if it is older.
 * Throws `Failure` (exit 74, 75 if it is locked): see `openForWriting`; `ledger_damaged`.
 */
export function openLedgerForIntake(path: string): Database {
  return checked(path, "write", () => openForWriting(path, LEDGER));
}

/**
 * The ledger, read only. It must exist, with this schema or one that intake can upgrade. Throws `Failure` (exit
 * 74): see `openForReading`; `ledger_damaged`.
 */
export function openLedgerForReading(path: string): Database {
  return checked(path, "read", () => openForReading(path, LEDGER));
}

/** Everything in `use` sees one state of the ledger; it must not await. Throws `Failure`: see `ledgerFailure`. */
export function readLedger<T>(ledger: Database, use: (ledger: Database) => T): T {
  try {
    return ledger.transaction(() => use(ledger))();
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
