/** The rows of the state directory's file: changed at once in the file's transaction, and committed together later. */
import SqliteDatabase, { type Database } from "better-sqlite3";
import { isDiskFull } from "../src/files/disk-full.ts";
import { replaceFile } from "../src/files/write-all.ts";
import { IdleCheckpoint } from "../src/sqlite/idle-checkpoint.ts";
import { sqliteFailure } from "../src/sqlite/sqlite-failure.ts";
import { readValue, statement } from "../src/sqlite/statement.ts";
import { Failure } from "../src/values/failure.ts";
import { errorMessage, systemCode } from "../src/values/unknown.ts";
import { checkpointFile, openState, stateFile } from "./state-directory.ts";

const META = "CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;";

/** Longest time from a change to its commit (ms). A commit writes whole pages, so several changes share one. */
const SAVE_EVERY_MS = 30_000;

/**
 * - `open`: "yes" while a process uses the file, and after it was killed.
 * - `at`: the last published instant (epoch ms). It never goes back.
 * - `epoch`, `writer`, `store`: of the last lease held.
 * - `lease`: this directory's last write of the lease object, which shows whether another publisher has written since.
 * - `doubted`: puts that may still arrive.
 */
export type MetaName = "open" | "at" | "epoch" | "writer" | "store" | "lease" | "doubted";

type Value = string | number | null;

export class StateRows {
  readonly #db: Database;
  /** Undefined if nothing is kept on disk. */
  readonly #directory: string | undefined;
  readonly #checkpoint: IdleCheckpoint;
  /** When the oldest uncommitted change was made (monotonic, ms). */
  #unsavedSince: number | undefined;
  /** A write failed. The file may lack rows that memory has, so it is not marked as closed. */
  #lacksRows = false;
  /** The published checkpoint, until it is saved. */
  #checkpointBody: Uint8Array | undefined;

  private constructor(db: Database, directory?: string) {
    this.#db = db;
    this.#directory = directory;
    this.#checkpoint = new IdleCheckpoint(db);
  }

  /**
   * Locks the state directory until `close`, and gives its rows to `use`. The mark of a running process is synced to disk.
   * `tables`: SQL that creates the caller's tables. `wasOpen`: the last process did not close the file. Throws `Failure`
   * state_locked, state_unusable, disk_full.
   */
  static open<T>(directory: string, tables: string, use: (rows: StateRows, wasOpen: boolean) => T): T {
    return openState(directory, META + tables, (db) => {
      const rows = new StateRows(db, directory);
      const used = use(rows, rows.meta("open") === "yes");
      db.pragma("synchronous = FULL");
      rows.setMeta("open", "yes");
      db.pragma("synchronous = NORMAL");
      return used;
    });
  }

  static inMemory(tables: string): StateRows {
    const db = new SqliteDatabase(":memory:");
    db.exec(META + tables);
    return new StateRows(db);
  }

  read(sql: string): Iterable<Record<string, Value>> {
    return statement<[], Record<string, Value>>(this.#db, sql).iterate();
  }

  /** Changes a row. `saveIfDue` commits it later. Throws `Failure` disk_full. */
  run(sql: string, ...values: readonly Value[]): void {
    this.#guarded(() => {
      if (!this.#db.inTransaction) this.#db.exec("BEGIN IMMEDIATE");
      statement(this.#db, sql).run(...values);
    });
  }

  meta(name: MetaName): string | undefined {
    return readValue<string>(this.#db, "SELECT value FROM meta WHERE name = ?", name);
  }

  setMeta(name: MetaName, value: string): void {
    if (this.meta(name) === value) return;
    this.run("INSERT OR REPLACE INTO meta VALUES (?, ?)", name, value);
    if (name !== "at") this.save();
  }

  /** Keeps the published checkpoint for `ingest`, which compares the ledger with it without a store. The next commit saves it. */
  keepCheckpoint(body: Uint8Array): void {
    this.#checkpointBody = body;
  }

  /** Commits changes that are old enough. `now` is monotonic (ms). Throws `Failure` disk_full. */
  saveIfDue(now: number): void {
    if (!this.#db.inTransaction) return this.#guarded(() => this.#checkpoint.look(now));
    this.#unsavedSince ??= now;
    if (now - this.#unsavedSince >= SAVE_EVERY_MS) this.save();
  }

  save(): void {
    this.#guarded(() => {
      if (this.#db.inTransaction) this.#db.exec("COMMIT");
    });
    const body = this.#checkpointBody;
    if (body !== undefined && this.#directory !== undefined) writeCheckpoint(checkpointFile(this.#directory), body);
    this.#checkpointBody = undefined;
    this.#unsavedSince = undefined;
  }

  close(): void {
    try {
      if (!this.#lacksRows) this.setMeta("open", "no");
    } finally {
      this.#db.close();
    }
  }

  #guarded(write: () => void): void {
    try {
      write();
    } catch (error) {
      this.#lacksRows = true;
      throw sqliteFailure(error, this.#db.name, "state", "write");
    }
  }
}

/** Throws `Failure` state_unusable, and a full disk's error unchanged. */
function writeCheckpoint(path: string, body: Uint8Array): void {
  try {
    replaceFile(path, body, 0o644);
  } catch (cause) {
    if (isDiskFull(cause)) throw cause;
    const hint = "If the state directory was removed, start the publisher again: it makes a new one from the store.";
    throw new Failure("state_unusable", `${path} cannot be written: ${errorMessage(cause)}`, { hint, cause });
  }
}

/** A publisher works with the state directory. */
export const IN_USE = Symbol("in use");

/** Returns the name of the store to which a publisher with this directory published last; undefined if that cannot be read. */
export function storeOfState(directory: string): string | typeof IN_USE | undefined {
  try {
    const db = new SqliteDatabase(stateFile(directory), { readonly: true, fileMustExist: true, timeout: 0 });
    try {
      return db.prepare<[], string>("SELECT value FROM meta WHERE name = 'store'").pluck().get();
    } finally {
      db.close();
    }
  } catch (error) {
    // Otherwise it is missing or damaged.
    return systemCode(error)?.startsWith("SQLITE_BUSY") === true ? IN_USE : undefined;
  }
}
