/** Opening the ledger of accepted facts: once for intake, and read only for whoever publishes from it. */
import type { Database } from "better-sqlite3";
import { type DatabaseKind, openForReading, openForWriting } from "../sqlite/open.ts";
import { LEDGER_APPLICATION_ID, LEDGER_SCHEMA, LEDGER_SCHEMA_VERSION } from "./schema.ts";

const LEDGER: DatabaseKind = {
  name: "ledger",
  applicationId: LEDGER_APPLICATION_ID,
  schemaVersion: LEDGER_SCHEMA_VERSION,
  schema: LEDGER_SCHEMA,
};

/**
 * The ledger for writing, made with its directories where it is missing. Throws `Failure` (exit 74, 75 where it is
 * locked): see `openForWriting`.
 */
export function openLedgerForIntake(path: string): Database {
  return openForWriting(path, LEDGER);
}

/** The ledger, read only; it must exist. Throws `Failure` (exit 74): see `openForReading`. */
export function openLedgerForReading(path: string): Database {
  return openForReading(path, LEDGER);
}
