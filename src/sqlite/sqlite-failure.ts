/**
 * Converts SQLite errors into failures with a hint. The code says `ledger`, or `state` for every file that is derived.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Database } from "better-sqlite3";
import { diskFull, hasNoSpace, isDiskFull } from "../files/disk-full.ts";
import { missingPermission } from "../files/missing-permission.ts";
import { Failure } from "../values/failure.ts";
import { errorMessage, systemCode } from "../values/unknown.ts";

/** The SQLite files, by their names in messages. */
export type FileName = "ledger" | "state" | "projections" | "chain";

/** Returns the subject of a file's failures, with which their codes begin. */
export function subjectOf(name: FileName): "ledger" | "state" {
  return name === "ledger" ? "ledger" : "state";
}

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
  // A file with a read error cannot be checked.
  const isDamage = /^SQLITE_(?:CORRUPT|NOTADB|IOERR)/.test(code);
  const isWrite = isDiskFull(error) || /^SQLITE_(?:READONLY|BUSY|LOCKED|IOERR_(?:WRITE|FSYNC|TRUNCATE|SHM))/.test(code);
  const file = files.find(({ db, isWritten }) => (isWrite && isWritten) || (isDamage && isDamaged(db)));
  return file === undefined ? error : sqliteFailure(error, file.db.name, file.name, isWrite ? "write" : "read");
}

/** Reads a whole file. Returns what is damaged, in one line; undefined if nothing is. Throws errors of SQLite. */
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

/** The causes of "disk I/O error" by SQLite's extended code: the first row that matches. */
const IO_ERRORS = [
  {
    codes: /_GETTEMPPATH$/,
    says: "SQLite finds no directory for temporary files",
    todo: "Name a directory that this user may write to by SQLITE_TMPDIR. The file is not damaged.",
  },
  { codes: /_NOMEM$/, says: "no memory is left", todo: "Free memory, or raise the limit of the service: free -m" },
  {
    codes: /_(?:LOCK|UNLOCK|RDLOCK|BLOCKED|CHECKRESERVEDLOCK)$/,
    says: "its file system does not lock files",
    todo: "Keep the file on a local disk, not on a network file system.",
  },
  {
    codes: /_SHM(?:OPEN|SIZE|LOCK|MAP)$/,
    says: "its -shm file cannot be made or mapped",
    todo: "Keep the file on a local disk with free space, and not on a file system that is shared over a network.",
  },
  {
    codes: /_DELETE(?:_NOENT)?$/,
    says: "a file beside it cannot be deleted",
    todo: "Let this user write to its directory, and let nothing else delete files there.",
  },
  {
    codes: /_SHORT_READ$/,
    says: "it is shorter than its first page says",
    todo: "Something has cut it. Restore it from a copy: docs/operating.md#backup-and-restore",
  },
  {
    codes: /_(?:CORRUPTFS|DATA)$/,
    says: "its file system is damaged",
    todo: "Check the kernel's log (dmesg | tail) and the file system (fsck), then restore the file from a copy.",
  },
  {
    codes: /_(?:ACCESS|CONVPATH|DIR_CLOSE|CLOSE|FSTAT|AUTH|VNODE)$/,
    says: "its file system does not respond as it should",
    todo: "See whether it is still mounted (findmnt), and check the kernel's log: dmesg | tail",
  },
];
const DISK_ERROR = {
  says: "its disk reports an error",
  todo: "Check the kernel's log (dmesg | tail), and copy the file to another disk.",
};

function failureOf(code: string, { path, name, doing, cause }: Attempt): Failure {
  const because = errorMessage(cause);
  const subject = subjectOf(name);
  if (/^SQLITE_(?:BUSY|LOCKED|PROTOCOL)/.test(code)) {
    return new Failure(`${subject}_locked`, `another process is writing to ${path}`, { cause });
  }
  if (code === "SQLITE_NOTADB") {
    return new Failure(`${subject}_damaged`, `${path} is not an SQLite file`, { cause });
  }
  if (code.startsWith("SQLITE_CORRUPT")) {
    return new Failure(`${subject}_damaged`, `${path} is damaged: ${because}`, { cause });
  }
  const cannot = `the ${name} ${path} ${doing === "write" ? "cannot be opened for writing" : "cannot be read"}`;
  if (isDirectory(path)) {
    const hint = name === "ledger" ? `Name a file in it, such as ${join(path, "ledger.db")}.` : "Move it away.";
    return new Failure(`${subject}_unusable`, `${cannot}: it is a directory`, { hint, cause });
  }
  if (code.startsWith("SQLITE_IOERR")) {
    const { says, todo } = IO_ERRORS.find(({ codes }) => codes.test(code)) ?? DISK_ERROR;
    return new Failure(`${subject}_unusable`, `${cannot}: ${says} (${code})`, { hint: todo, cause });
  }
  const missing = path === ":memory:" ? undefined : missingPermission(path, doing);
  return new Failure(`${subject}_unusable`, `${cannot}: ${missing?.says ?? because}`, { hint: missing?.todo, cause });
}

/** True for a `Failure`, and for an error of a file or its disk, but not of a broken constraint. */
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
