/**
 * Serialises changes of a directory's objects among all processes of a machine. A process that is stopped during a
 * change must neither block the others nor complete its change when it continues.
 *
 * - The lock is an exclusive transaction on an empty SQLite file, which the kernel ends with the process. Nothing is
 *   ever written to the file. No process waits inside SQLite: it retries a busy lock after some milliseconds.
 * - A lock that stays busy is abandoned: the next process creates a new one (`.noonmark-store-1`, …). Only the newest
 *   counts.
 * - A change takes two renames. The first moves the new file to a place that belongs to the lock; a deletion creates a
 *   directory there. Then the process checks that its lock is still the newest. The second rename moves the file from
 *   there to its name; a deletion moves the object into the directory. The holder of a newer lock first empties the
 *   places of older ones, so the second rename of a stopped process fails.
 */
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { StoreUnavailable } from "../object-store.ts";
import { noStore, STORE_MARK, TEMPORARY } from "./prepare.ts";

/** A lock that is busy for this long is abandoned. A change takes microseconds. */
const GIVE_UP_MS = 1_000;
/** Random pause between two attempts (ms). */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 10;

export class FilesystemLock {
  readonly #directory: string;
  #number = 0;
  #db: Database.Database;
  /** Device and inode of the store's first lock file, which differ after the directory was replaced. */
  #file: string;

  constructor(directory: string) {
    this.#directory = directory;
    this.#file = this.#fileNow();
    this.#db = openLock(this.#path(0));
  }

  /**
   * Renames a new file into an existing directory. Calls `check` under the lock; it may throw. `end` is the deadline by
   * `performance.now()`. Throws `StoreUnavailable` if the change was not made; it is then not made later either.
   */
  rename(from: string, to: string, end: number, check: () => void): Promise<void> {
    return this.#hold(end, (held) => {
      moveInto(from, held);
      this.#checkNewest();
      check();
      checkTime(end);
      renameSync(held, to);
    });
  }

  /** Deletes a file; a missing one counts as deleted. `end` and errors as for `rename`. */
  remove(path: string, end: number): Promise<void> {
    return this.#hold(end, (held) => {
      rmSync(held, { recursive: true, force: true });
      mkdirSync(held);
      this.#checkNewest();
      checkTime(end);
      try {
        renameSync(path, join(held, "deleted"));
      } catch (error) {
        if (!isAbsent(error) || !existsSync(held)) throw error;
      }
      rmSync(held, { recursive: true, force: true });
    });
  }

  async #hold(end: number, change: (held: string) => void): Promise<void> {
    let busySince: number | undefined;
    for (;;) {
      this.#followNewest();
      if (this.#tryBegin()) {
        try {
          return change(this.#held(this.#number));
        } catch (error) {
          if (!(error instanceof LockAbandoned)) throw error;
        } finally {
          this.#db.exec("ROLLBACK");
        }
        throw new StoreUnavailable(`${this.#directory}: another writer took over; nothing was changed`);
      }
      const now = performance.now();
      busySince ??= now;
      if (now - busySince >= GIVE_UP_MS) {
        // If another process creates it at the same time, both open the same file.
        openLock(this.#path(this.#number + 1)).close();
        busySince = undefined;
      } else if (now >= end) throw tooLate();
      else await wait(SHORTEST_PAUSE_MS + Math.random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS));
    }
  }

  #followNewest(): void {
    const file = this.#fileNow();
    if (file !== this.#file) {
      this.#db.close();
      this.#number = 0;
      this.#db = openLock(this.#path(0));
      this.#file = file;
    }
    while (existsSync(this.#path(this.#number + 1))) {
      this.#db.close();
      this.#db = openLock(this.#path(++this.#number));
    }
  }

  /** Throws `StoreUnavailable` if the directory is not a store any more: its disk may be unmounted. */
  #fileNow(): string {
    const stats = statSync(this.#path(0), { throwIfNoEntry: false });
    if (stats === undefined) throw noStore(this.#directory);
    return `${stats.dev} ${stats.ino}`;
  }

  /** Returns false if another process holds the lock. */
  #tryBegin(): boolean {
    try {
      this.#db.exec(`${NO_JOURNAL};BEGIN EXCLUSIVE`);
    } catch (error) {
      if (isBusy(error)) return false;
      throw error;
    }
    for (let number = 0; number < this.#number; number++) {
      rmSync(this.#held(number), { recursive: true, force: true });
    }
    return true;
  }

  /** Throws `LockAbandoned`. */
  #checkNewest(): void {
    if (existsSync(this.#path(this.#number + 1))) throw new LockAbandoned();
  }

  #path(number: number): string {
    return join(this.#directory, number === 0 ? STORE_MARK : `${STORE_MARK}-${number}`);
  }

  /** The path to which the holder of a lock moves its file. */
  #held(number: number): string {
    return join(this.#directory, TEMPORARY, `held-${number}`);
  }
}

/** Renames a file to `held`, where a killed deletion may have left a directory. */
function moveInto(from: string, held: string): void {
  try {
    renameSync(from, held);
  } catch (error) {
    if (isAbsent(error)) throw error;
    rmSync(held, { recursive: true, force: true });
    renameSync(from, held);
  }
}

/** Thrown if another process created a newer lock, which replaces this one. */
class LockAbandoned extends Error {
  override readonly name = "LockAbandoned";
}

/** By default a transaction on an empty file creates, writes and deletes a journal file. */
const NO_JOURNAL = "PRAGMA journal_mode = MEMORY";

/** Opens the file, and creates it if it is missing. */
function openLock(path: string): Database.Database {
  const db = new Database(path, { timeout: 0 });
  try {
    db.exec(NO_JOURNAL);
  } catch (error) {
    // Another process holds the lock, so the file exists.
    if (!isBusy(error)) throw error;
  }
  return db;
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

function checkTime(end: number): void {
  if (performance.now() >= end) throw tooLate();
}

function tooLate(): StoreUnavailable {
  return new StoreUnavailable("it did not end within its time limit, so nothing was changed", {
    hint: "The disk is slow or overloaded, or another process holds the lock: check if a process is stopped.",
  });
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
