/** Converts SQLite errors on a ledger into failures with a stable code and a hint. */
import { sqliteFailure } from "../sqlite/sqlite-failure.ts";
import { Failure } from "../values/failure.ts";
import { systemCode } from "../values/unknown.ts";

/**
 * Returns the failure for an error on an open ledger: `ledger_damaged`, `ledger_locked`, `disk_full`,
 * or `ledger_unusable`. Returns any other error unchanged.
 */
export function ledgerFailure(error: unknown, path: string, doing: "read" | "write"): unknown {
  const code = systemCode(error);
  // NOTADB means damage here, because the file was a valid SQLite file when it was opened.
  if (typeof code === "string" && /^SQLITE_(?:CORRUPT|NOTADB)/.test(code)) {
    return ledgerDamaged(path, error instanceof Error ? error.message : code, error);
  }
  return sqliteFailure(error, path, "ledger", doing);
}

export function ledgerDamaged(path: string, because: string, cause?: unknown): Failure {
  return new Failure("ledger_damaged", `the ledger ${path} is damaged: ${because}`, { cause });
}
