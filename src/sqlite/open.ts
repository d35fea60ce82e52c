/** Opens Noonmark's SQLite files and converts every error into a failure. */
import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { makeDirectory } from "../files/make-directory.ts";
import { makePrivateFile } from "../files/private-file.ts";
import { pathFault } from "../files/short-file.ts";
import { Failure } from "../values/failure.ts";
import { type FileName, sqliteFailure, subjectOf } from "./sqlite-failure.ts";
import { readNumber } from "./statement.ts";

/** A kind of file: its name in messages, and the marks that identify the kind and its schema version. */
export interface DatabaseKind {
  /** The name in messages, such as `ledger`. */
  readonly name: FileName;
  readonly applicationId: number;
  readonly schemaVersion: number;
  /** Statements that turn an empty file into one of this kind. */
  readonly schema: string;
}

/** SQLite's name for a database without a file. */
const IN_MEMORY = ":memory:";
/** A sandbox may have no directory for them. Sorted rows are few: every large read follows an index. */
const NO_TEMPORARY_FILES = "temp_store = MEMORY";
/** How long a statement waits for another process's lock before it fails, in milliseconds. */
const BUSY_TIMEOUT = 2_000;
/**
 * Page size of a new file, in bytes. Each commit appends whole changed pages to the -wal file, and one accepted receipt
 * changes nine. Pages of 1024 bytes would slow a bulk import by a tenth; these do not.
 */
const PAGE_BYTES = 2048;
const CACHE_KIB = 32 * 1024;
/** Readers mostly read new rows, and the kernel caches long scans. SQLite would keep its pages until it closes. */
const READER_CACHE_KIB = 4 * 1024;
/** Size of the -wal file that triggers a checkpoint: large, so that each page is copied once for many commits. */
const WAL_BYTES = 32 * 1024 * 1024;

/**
 * Opens an existing file read-only. In WAL mode SQLite still needs the -shm file, or a directory in which it may create
 * one. `immutable` would avoid that but read stale pages, so a missing permission is a failure with a hint. Throws
 * `Failure`: ledger_not_found, ledger_locked, ledger_unusable, ledger_damaged, the same for the state, and
 * format_unknown.
 */
export function openForReading(path: string, kind: DatabaseKind): Database {
  return guarded(path, kind, "read", () => {
    // Unlike `existsSync`, it fails if this user may not enter a directory above the file.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) throw notFound(path, kind, "does not exist");
    const db = new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT });
    return closedOnError(db, () => {
      db.pragma(NO_TEMPORARY_FILES);
      if (isEmpty(db)) throw notFound(path, kind, "is empty");
      checkKind(db, path, kind);
      db.pragma(`cache_size = -${READER_CACHE_KIB}`);
      return db;
    });
  });
}

/**
 * Opens a file for writing, in WAL mode with every commit synced. By default creates the file and its directories if
 * they are missing. Throws `Failure` as `openForReading` does, and disk_full.
 */
export function openForWriting(
  path: string,
  kind: DatabaseKind,
  options: { readonly create?: boolean; readonly busyTimeout?: number } = {},
): Database {
  const { create = true, busyTimeout = BUSY_TIMEOUT } = options;
  if (!create && !existsSync(path)) throw notFound(path, kind, "does not exist");
  return guarded(path, kind, "write", () => {
    if (create && path !== IN_MEMORY) {
      makeDirectory(dirname(resolve(path)));
      // SQLite gives its -wal and -shm files the mode of this one.
      makePrivateFile(path);
    }
    const db = new SqliteDatabase(path, { fileMustExist: !create, timeout: busyTimeout });
    return closedOnError(db, () => {
      db.pragma(NO_TEMPORARY_FILES);
      const fresh = isEmpty(db);
      // Check the kind before setting the journal mode, because another program's file must not be changed.
      if (!fresh) checkKind(db, path, kind);
      // An existing file keeps its page size.
      if (fresh) db.pragma(`page_size = ${PAGE_BYTES}`);
      db.pragma("journal_mode = WAL");
      db.pragma("synchronous = FULL");
      db.pragma(`cache_size = -${CACHE_KIB}`);
      limitWal(db, WAL_BYTES);
      if (fresh) createSchema(db, kind);
      checkKind(db, path, kind);
      return db;
    });
  });
}

/** Sets the size at which the -wal file is checkpointed, and to which it is truncated after a long transaction. */
export function limitWal(db: Database, bytes: number): void {
  const pageBytes = readNumber(db, "PRAGMA page_size");
  db.pragma(`wal_autocheckpoint = ${Math.ceil(bytes / pageBytes)}`);
  db.pragma(`journal_size_limit = ${bytes}`);
}

/**
 * Creates the schema in one transaction, so a crash leaves an empty or complete file. A second process does nothing.
 */
function createSchema(db: Database, kind: DatabaseKind): void {
  const create = db.transaction(() => {
    if (!isEmpty(db)) return;
    db.exec(kind.schema);
    db.pragma(`application_id = ${kind.applicationId}`);
    db.pragma(`user_version = ${kind.schemaVersion}`);
  });
  create.immediate();
}

function isEmpty(db: Database): boolean {
  const tables = db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get();
  return tables === 0 && db.pragma("application_id", { simple: true }) === 0;
}

function checkKind(db: Database, path: string, kind: DatabaseKind): void {
  const applicationId = readNumber(db, "PRAGMA application_id");
  if (applicationId !== kind.applicationId) {
    const hint = "Name another file. This one was not changed.";
    throw new Failure(`${subjectOf(kind.name)}_unusable`, `${path} is an SQLite file but not a Noonmark ${kind.name}`, {
      hint,
    });
  }
  const version = db.pragma("user_version", { simple: true });
  if (version !== kind.schemaVersion) {
    const says = `has version ${version} of its format; this Noonmark knows ${kind.schemaVersion}`;
    throw new Failure("format_unknown", `${path} (${kind.name}) ${says}`);
  }
}

function notFound(path: string, kind: DatabaseKind, how: string): Failure {
  return new Failure(`${subjectOf(kind.name)}_not_found`, `the ${kind.name} ${path} ${how}`);
}

function guarded<T>(path: string, kind: DatabaseKind, doing: "read" | "write", open: () => T): T {
  const fault = path === IN_MEMORY ? undefined : pathFault(path);
  if (fault !== undefined) throw new Failure("invalid_setting", `the path of the ${kind.name}, ${path}, ${fault}`);
  try {
    return open();
  } catch (error) {
    throw sqliteFailure(error, path, kind.name, doing);
  }
}

function closedOnError<T>(db: Database, use: () => T): T {
  try {
    return use();
  } catch (error) {
    db.close();
    throw error;
  }
}
