/**
 * The publisher's state directory: one process at a time uses it under the kernel's lock on a file. A small file in it
 * says who held the lease here, to which store, and how much of the log was published.
 */
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import SqliteDatabase, { type Database } from "better-sqlite3";
import * as z from "zod";
import { isDiskFull } from "../src/files/disk-full.ts";
import { makeDirectory } from "../src/files/make-directory.ts";
import { makePrivateFile } from "../src/files/private-file.ts";
import { replaceFile } from "../src/files/write-all.ts";
import type { LogPoint } from "../src/ledger/log.ts";
import { sqliteFailure } from "../src/sqlite/sqlite-failure.ts";
import { Failure } from "../src/values/failure.ts";
import { formatTimestamp } from "../src/values/timestamp.ts";
import { errorMessage, systemCode } from "../src/values/unknown.ts";

const LOCK_FILE = "publisher.lock";
const RECORD_FILE = "publisher.json";

const recordSchema = z.object({
  /** Host and process id, and the start. */
  user: z.string(),
  /** The tokens of the last holders that used this directory. The last one may not have got the lease. */
  holders: z.array(z.string()),
  /** The store's name; null before the first publish. */
  store: z.string().nullable(),
  /** The published log. */
  log: z.object({ size: z.number().int().nonnegative(), root: z.string() }).nullable(),
});

export function lockFile(directory: string): string {
  return join(directory, LOCK_FILE);
}

type PublisherRecord = z.infer<typeof recordSchema>;

/** Undefined if the file is missing or damaged: everything in it can be found again. */
export function readPublisherRecord(directory: string): PublisherRecord | undefined {
  try {
    return recordSchema.parse(JSON.parse(readFileSync(join(directory, RECORD_FILE), "utf8")));
  } catch {
    return undefined;
  }
}

/** So many earlier holders are kept: a process may die between the note and the swap. */
const HOLDERS_KEPT = 4;

export class StateDirectory {
  readonly path: string;
  readonly #lock: Database;
  #record: PublisherRecord;

  private constructor(path: string, lock: Database, record: PublisherRecord) {
    this.path = path;
    this.#lock = lock;
    this.#record = record;
  }

  /** Makes and locks the directory. Throws `Failure` state_locked, state_unusable, state_forbidden, disk_full. */
  static open(path: string): StateDirectory {
    try {
      makeDirectory(path);
      makePrivateFile(lockFile(path));
      // SQLite would open a file that may not be written without locking it.
      accessSync(lockFile(path), constants.R_OK | constants.W_OK);
      const lock = new SqliteDatabase(lockFile(path), { timeout: 0 });
      // The kernel's lock ends with the process.
      lock.pragma("locking_mode = EXCLUSIVE");
      lock.exec("BEGIN EXCLUSIVE");
      const before = readPublisherRecord(path) ?? { user: "", holders: [], store: null, log: null };
      const user = `${hostname()} process ${process.pid} (since ${formatTimestamp(Date.now())})`;
      const state = new StateDirectory(path, lock, before);
      state.#write({ user });
      return state;
    } catch (cause) {
      throw openingFailure(cause, path, lockFile(path));
    }
  }

  get store(): string | null {
    return this.#record.store;
  }

  /** True if a process that used this directory took the lease. That process is dead. */
  isOurs(holder: string): boolean {
    return this.#record.holders.includes(holder);
  }

  /** Must be called before the lease is taken, so that after a crash the next process recognises its own lease. */
  noteHolder(holder: string, store: string): void {
    this.#write({ holders: [...this.#record.holders, holder].slice(-HOLDERS_KEPT), store });
  }

  /** Keeps the published log for `ingest`. Throws `Failure` disk_full, state_unusable. */
  noteLog({ size, root }: LogPoint): void {
    if (this.#record.log?.root !== root) this.#write({ log: { size, root } });
  }

  close(): void {
    this.#lock.close();
  }

  #write(change: Partial<PublisherRecord>): void {
    this.#record = { ...this.#record, ...change };
    const path = join(this.path, RECORD_FILE);
    try {
      // `ingest` may run as another user.
      replaceFile(path, Buffer.from(`${JSON.stringify(this.#record)}\n`), 0o644);
    } catch (cause) {
      const failure = sqliteFailure(cause, path, "state", "write");
      if (isDiskFull(failure) || (failure instanceof Failure && failure.code === "state_forbidden")) throw failure;
      const hint = "If the state directory was removed, start the publisher again: it makes a new one.";
      throw new Failure("state_unusable", `${path} cannot be written: ${errorMessage(cause)}`, { hint, cause });
    }
  }
}

function openingFailure(cause: unknown, directory: string, path: string): unknown {
  if ((systemCode(cause) ?? "").startsWith("SQLITE_BUSY")) {
    const user = readPublisherRecord(directory)?.user ?? "another publisher";
    return new Failure("state_locked", `${user} uses the state directory ${directory}`, { cause });
  }
  const failure = sqliteFailure(cause, path, "state", "write");
  if (isDiskFull(failure) || failure instanceof Failure) return failure;
  return new Failure("state_unusable", errorMessage(failure), { hint: `Delete ${path}.`, cause });
}

/** A publisher works with the state directory. */
export const IN_USE = Symbol("in use");

/** Returns the name of the store that this directory published to last; undefined if that is unknown. */
export function storeOfState(directory: string): string | typeof IN_USE | undefined {
  const path = lockFile(directory);
  try {
    statSync(path);
    const db = new SqliteDatabase(path, { readonly: true, fileMustExist: true, timeout: 0 });
    try {
      db.pragma("user_version");
    } finally {
      db.close();
    }
  } catch (error) {
    if (systemCode(error)?.startsWith("SQLITE_BUSY") === true) return IN_USE;
  }
  return readPublisherRecord(directory)?.store ?? undefined;
}
