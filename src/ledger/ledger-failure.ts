/** Errors of SQLite while a ledger is read or written, as failures somebody can act on. */
import { sqliteFailure } from "../sqlite/sqlite-failure.ts";
import { EXIT, Failure } from "../values/failure.ts";

/**
 * What an error means for an open ledger: `ledger_damaged`, `ledger_locked`, `disk_full`, `ledger_unwritable`,
 * `ledger_unreadable`. Anything else comes back as it is.
 */
export function ledgerFailure(error: unknown, path: string, doing: "read" | "write"): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  // It was an SQLite file when it was opened.
  if (typeof code === "string" && /^SQLITE_(?:CORRUPT|NOTADB)/.test(code)) {
    return ledgerDamaged(path, error instanceof Error ? error.message : code, error);
  }
  return sqliteFailure(error, path, "ledger", doing);
}

export function ledgerDamaged(path: string, because: string, cause?: unknown): Failure {
  return new Failure("ledger_damaged", `the ledger ${path} is damaged: ${because}`, {
    exit: EXIT.io,
    hint: "Nothing is taken in or published from it. Restore it from a backup, or ingest the records again into a new file.",
    cause,
  });
}
