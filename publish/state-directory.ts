/** Opens the state directory, which one process uses at a time under the kernel's lock on its file. */
import { readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { isDiskFull } from "../src/files/disk-full.ts";
import { makeDirectory } from "../src/files/make-directory.ts";
import { makePrivateFile, PRIVATE_MODE } from "../src/files/private-file.ts";
import { replaceFile } from "../src/files/write-all.ts";
import { NO_TEMPORARY_FILES } from "../src/sqlite/open.ts";
import { sqliteFailure } from "../src/sqlite/sqlite-failure.ts";
import { readValues } from "../src/sqlite/statement.ts";
import { Failure } from "../src/values/failure.ts";
import { formatTimestamp } from "../src/values/timestamp.ts";
import { errorMessage, systemCode } from "../src/values/unknown.ts";

const STATE_FILE = "published.db";

export function stateFile(directory: string): string {
  return join(directory, STATE_FILE);
}

/** A copy of the newest checkpoint that a publisher on this machine has put (docs/spec/publishing.md#log). */
export function checkpointFile(directory: string): string {
  return join(directory, "checkpoint");
}

/**
 * Makes the directory, locks its file until that is closed, and gives it to `use`. Throws `Failure` state_locked,
 * state_unusable, state_forbidden, disk_full.
 */
export function openState<T>(directory: string, schema: string, use: (db: Database) => T): T {
  const path = stateFile(directory);
  try {
    makeDirectory(directory);
    makePrivateFile(path);
    const db = new SqliteDatabase(path, { timeout: 0 });
    db.pragma(NO_TEMPORARY_FILES);
    // The kernel's lock ends with the process.
    db.pragma("locking_mode = EXCLUSIVE");
    // Commits are not synced. Rows that are lost in a power failure are looked up in the store again.
    db.pragma("journal_mode = WAL");
    db.pragma("synchronous = NORMAL");
    db.exec("BEGIN EXCLUSIVE");
    dropOtherFormat(db);
    db.exec(`${schema}COMMIT;`);
    nameUser(directory);
    return use(db);
  } catch (cause) {
    throw openingFailure(cause, directory, path);
  }
}

/** Raised with each change of the tables. */
const STATE_FORMAT = 2;

/** The tables of another version of Noonmark are dropped, because all of them can be looked up in the store. */
function dropOtherFormat(db: Database): void {
  if (db.pragma("user_version", { simple: true }) === STATE_FORMAT) return;
  for (const name of readValues<string>(db, "SELECT name FROM sqlite_master WHERE type = 'table'")) {
    db.exec(`DROP TABLE "${name}"`);
  }
  db.pragma(`user_version = ${STATE_FORMAT}`);
}

function openingFailure(cause: unknown, directory: string, path: string): unknown {
  const code = systemCode(cause) ?? "";
  if (code.startsWith("SQLITE_BUSY")) {
    return new Failure("state_locked", `${userOf(directory)} uses the state directory ${directory}`, { cause });
  }
  const failure = sqliteFailure(cause, path, "state", "write");
  if (isDiskFull(failure)) return failure;
  if (!(failure instanceof Failure) || /^SQLITE_(?:CORRUPT|NOTADB)/.test(code)) {
    const hint = `Delete ${path}: it is rebuilt from the store.`;
    return new Failure("state_unusable", errorMessage(failure), { hint, cause });
  }
  return failure;
}

/** Names the process that uses the state directory; its time is the start. */
const USER_FILE = "user";

/** Writes the name by rename, so that a process that is refused meanwhile reads a whole name. */
function nameUser(directory: string): void {
  const path = join(directory, USER_FILE);
  replaceFile(path, Buffer.from(`${hostname()} process ${process.pid}\n`), PRIVATE_MODE);
}

function userOf(directory: string): string {
  const path = join(directory, USER_FILE);
  try {
    return `${readFileSync(path, "utf8").trim()} (since ${formatTimestamp(Math.floor(statSync(path).mtimeMs))})`;
  } catch {
    return "another publisher";
  }
}
