/** Opens one of Noonmark's own SQLite files, with a failure of its own for every fault. */
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { makeDirectory } from "../files/make-directory.ts";
import { makePrivateFile } from "../files/private-file.ts";
import { EXIT, Failure } from "../values/failure.ts";
import { sqliteFailure } from "./sqlite-failure.ts";

/**
 * The kind of a file: its name in messages, and its marks, which distinguish it from other files and from its other versions.
 */
export interface DatabaseKind {
  /** `ledger`: the word in messages, and the prefix of failure codes. */
  readonly name: string;
  readonly applicationId: number;
  readonly schemaVersion: number;
  /** The statements that make an empty file one of this kind. */
  readonly schema: string;
  /** By schema version, the statements that make the next one of it. Readers take every version that has some. */
  readonly upgrades?: Readonly<Record<number, string>>;
}

/** SQLite's name for a database without a file. */
const IN_MEMORY = ":memory:";
/** How long a statement waits for somebody else's lock before it is `<name>_locked`, in milliseconds. */
const BUSY_TIMEOUT = 2_000;
/**
 * Page size of a new file, in bytes. Each commit appends every page that it changed to the -wal file as a whole, and
 * one accepted receipt changes nine. Pages of 1024 bytes make a bulk import a tenth slower; these do not.
 */
const PAGE_BYTES = 2048;
const CACHE_KIB = 32 * 1024;
/** Readers look at new rows. The kernel keeps the pages of a long scan; SQLite would hold them as long as the file is open. */
const READER_CACHE_KIB = 4 * 1024;
/** The -wal file is copied into the file once it has this many bytes: each page then once for many commits. */
const CHECKPOINT_BYTES = 32 * 1024 * 1024;

/**
 * Opens an existing file, read only. In WAL mode SQLite needs the -shm file, or a directory in which it can create one. Without
 * both this is a failure with a hint, because SQLite's `immutable` mode would read stale pages.
 * Throws `Failure`: `<name>_not_found`, `_not_a_database`, `_foreign`, `_schema_newer`, `_schema_older`, `_locked`,
 * `_unreadable`, `_damaged`.
 */
export function openForReading(path: string, kind: DatabaseKind): Database {
  if (!existsSync(path)) throw notFound(path, kind, "does not exist");
  return guarded(path, kind, "read", () => {
    const db = new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: BUSY_TIMEOUT });
    return closedOnError(db, () => {
      if (isEmpty(db)) throw notFound(path, kind, "is empty");
      checkKind(db, path, kind);
      db.pragma(`cache_size = -${READER_CACHE_KIB}`);
      return db;
    });
  });
}

/**
 * Opens a file for writing, in WAL mode with every commit synced. Creates the file and its directories if they are missing,
 * by default. Throws `Failure` as `openForReading` does, and `<name>_unwritable`, `disk_full`.
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
      const fresh = isEmpty(db);
      // A file of another program must not be changed, so it is checked before the journal mode is set.
      if (!fresh) checkKind(db, path, kind);
      // A file that exists keeps the page size it has.
      if (fresh) db.pragma(`page_size = ${PAGE_BYTES}`);
      db.pragma("journal_mode = WAL");
      db.pragma("synchronous = FULL");
      db.pragma(`cache_size = -${CACHE_KIB}`);
      checkpointEach(db, CHECKPOINT_BYTES);
      if (fresh) createSchema(db, kind);
      checkKind(db, path, kind);
      upgrade(db, kind);
      return db;
    });
  });
}

/** The -wal file is copied into the file at this size, and shortened to it if a long transaction made it larger. */
export function checkpointEach(db: Database, bytes: number): void {
  const pageBytes = db.pragma("page_size", { simple: true }) as number;
  db.pragma(`wal_autocheckpoint = ${Math.ceil(bytes / pageBytes)}`);
  db.pragma(`journal_size_limit = ${bytes}`);
}

/** One transaction: a crash leaves an empty file or a whole one. A second process finds the tables and does nothing. */
function createSchema(db: Database, kind: DatabaseKind): void {
  const create = db.transaction(() => {
    if (!isEmpty(db)) return;
    db.exec(kind.schema);
    db.pragma(`application_id = ${kind.applicationId}`);
    db.pragma(`user_version = ${kind.schemaVersion}`);
  });
  create.immediate();
}

/** One transaction: a second process that opens the file sees the state before it, or finds it done. */
function upgrade(db: Database, kind: DatabaseKind): void {
  if (versionOf(db) === kind.schemaVersion) return;
  const upgradeAll = db.transaction(() => {
    for (let version = versionOf(db); version < kind.schemaVersion; version++) {
      db.exec(kind.upgrades?.[version] ?? "");
      db.pragma(`user_version = ${version + 1}`);
    }
  });
  upgradeAll.immediate();
}

function versionOf(db: Database): number {
  return db.pragma("user_version", { simple: true }) as number;
}

function isEmpty(db: Database): boolean {
  const tables = db.prepare("SELECT count(*) FROM sqlite_schema").pluck().get();
  return tables === 0 && db.pragma("application_id", { simple: true }) === 0;
}

function checkKind(db: Database, path: string, kind: DatabaseKind): void {
  const applicationId = db.pragma("application_id", { simple: true }) as number;
  if (applicationId !== kind.applicationId) {
    throw new Failure(`${kind.name}_foreign`, `${path} is an SQLite file, and not a ${kind.name} of Noonmark`, {
      exit: EXIT.io,
      hint: "Name another file; this one has been left as it was.",
    });
  }
  const version = versionOf(db);
  if (version === kind.schemaVersion || kind.upgrades?.[version] !== undefined) return;
  const [code, hint] =
    version > kind.schemaVersion
      ? ["newer", "It was written by a newer Noonmark: use that one."]
      : ["older", "It was written by an older Noonmark, whose files this one cannot read."];
  throw new Failure(
    `${kind.name}_schema_${code}`,
    `${path} has version ${version} of the ${kind.name}'s schema, this Noonmark knows ${kind.schemaVersion}`,
    { exit: EXIT.io, hint },
  );
}

function notFound(path: string, kind: DatabaseKind, how: string): Failure {
  return new Failure(`${kind.name}_not_found`, `the ${kind.name} ${path} ${how}`, {
    exit: EXIT.io,
    hint:
      kind.name === "ledger"
        ? "Look at --ledger and at the disk. If the ledger was lost, restore it from a backup; a first deployment makes it with `noonmark ingest FILE`."
        : "Look at the path given.",
  });
}

function guarded<T>(path: string, kind: DatabaseKind, doing: "read" | "write", open: () => T): T {
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
