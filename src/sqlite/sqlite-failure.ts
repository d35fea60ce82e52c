/** Converts SQLite errors into failures with a hint and a code that begins with the file's name (`ledger_locked`). */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { diskFull, hasNoSpace, isDiskFull } from "../files/disk-full.ts";
import { missingPermission } from "../files/missing-permission.ts";
import { Failure, type FailureCode, type FileName } from "../values/failure.ts";
import { errorMessage, systemCode } from "../values/unknown.ts";

/**
 * Returns an error of SQLite or of the file system as a `Failure` for the operator, and any other error unchanged.
 * `name` is the file's name in messages; `doing` is the failed operation.
 */
export function sqliteFailure(error: unknown, path: string, name: FileName, doing: "read" | "write"): unknown {
  const code = sqliteOrSystemCode(error);
  if (error instanceof Failure || code === undefined) return error;
  if (isFullDisk(error, code, path)) return diskFull(`the ${name} ${path}`, error);
  return failureOf(code, { path, name, doing, cause: error });
}

/** Also checks the disk's free space: SQLite reports "disk I/O error" if a file that it maps cannot grow. */
function isFullDisk(error: unknown, code: string, path: string): boolean {
  return isDiskFull(error) || (/^SQLITE_(?:IOERR|CANTOPEN)/.test(code) && path !== ":memory:" && hasNoSpace(path));
}

/** One of several open files. */
export interface OpenFile {
  readonly db: Database;
  readonly name: FileName;
  /** True if the file is written. A failed write is attributed to the first such file. */
  readonly isWritten: boolean;
}

/**
 * Like `sqliteFailure`, for an error of one of several open files, because SQLite's errors do not name the file. A
 * failed write is attributed to the written file. Only after an error, checks each file completely to find damage.
 */
export function failureOfOneOf(error: unknown, files: readonly OpenFile[]): unknown {
  const code = sqliteOrSystemCode(error);
  if (error instanceof Failure || code === undefined) return error;
  const isDamage = /^SQLITE_(?:CORRUPT|NOTADB)/.test(code);
  const isWrite = isDiskFull(error) || /^SQLITE_(?:READONLY|BUSY|LOCKED|IOERR_(?:WRITE|FSYNC|TRUNCATE|SHM))/.test(code);
  const file = files.find(({ db, isWritten }) => (isWrite && isWritten) || (isDamage && isDamaged(db)));
  return file === undefined ? error : sqliteFailure(error, file.db.name, file.name, isWrite ? "write" : "read");
}

/** Reads a whole file. Returns what is damaged, in one line; undefined if nothing is. Throws errors of SQLite unchanged. */
export function damageOf(db: Database): string | undefined {
  const verdict = String(db.pragma("quick_check(1)", { simple: true }));
  return verdict === "ok" ? undefined : verdict.replaceAll("\n", ": ");
}

function isDamaged(db: Database): boolean {
  try {
    return damageOf(db) !== undefined;
  } catch {
    // A file that cannot even be checked is damaged.
    return true;
  }
}

interface Attempt {
  readonly path: string;
  readonly name: FileName;
  readonly doing: "read" | "write";
  readonly cause: unknown;
}

function failureOf(code: string, { path, name, doing, cause }: Attempt): Failure {
  const because = errorMessage(cause);
  if (/^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/.test(code)) {
    return new Failure(`${name}_locked`, `another process is writing to ${path}`, { cause });
  }
  if (code === "SQLITE_NOTADB") {
    return new Failure(`${name}_damaged`, `${path} is not an SQLite file`, { cause });
  }
  if (code.startsWith("SQLITE_CORRUPT")) {
    return new Failure(`${name}_damaged`, `${path} is damaged: ${because}`, { cause });
  }
  const failure: FailureCode = doing === "write" ? `${name}_unwritable` : `${name}_unreadable`;
  const cannot = doing === "write" ? "cannot be opened for writing" : "cannot be read";
  if (isDirectory(path)) {
    const hint = name === "ledger" ? `Name a file in it, such as ${join(path, "ledger.db")}.` : "Move it away.";
    return new Failure(failure, `the ${name} ${path} ${cannot}: it is a directory`, { hint, cause });
  }
  if (code.startsWith("SQLITE_IOERR")) {
    const sentence = `the ${name} ${path} ${cannot}: its disk reports an error (${code})`;
    const hint = "Check the kernel's log (dmesg | tail), and copy the file to another disk.";
    return new Failure(failure, sentence, { hint, cause });
  }
  const missing = path === ":memory:" ? undefined : missingPermission(path, doing);
  if (missing !== undefined) {
    const sentence = `the ${name} ${path} ${cannot}: ${missing.says}`;
    return new Failure(failure, sentence, { hint: missing.todo, cause });
  }
  return new Failure(failure, `the ${name} ${path} ${cannot}: ${because}`, { cause });
}

/** True for a `Failure`, and for an error of a file or its disk. A row that breaks a constraint is a fault of its writer. */
export function isFileError(error: unknown): boolean {
  const code = sqliteOrSystemCode(error);
  return error instanceof Failure || (code !== undefined && !code.startsWith("SQLITE_CONSTRAINT"));
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function sqliteOrSystemCode(error: unknown): string | undefined {
  const code = systemCode(error);
  return code !== undefined && /^(?:SQLITE_|E[A-Z]+$)/.test(code) ? code : undefined;
}
