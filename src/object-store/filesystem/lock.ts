/**
 * Changes of a directory's objects, one at a time among all processes of a machine. A process that is stopped in the middle
 * of a change must neither hold up the others nor carry out its change when it continues.
 *
 * - The lock is an exclusive transaction on an empty SQLite file, which the kernel ends with the process.
 *   Nothing is ever written to it. No process waits inside SQLite: a busy lock is tried again after some milliseconds.
 * - A lock that stays busy is abandoned: the next process creates a new one (`.noonmark-store-1`, …). The newest one counts.
 * - A change takes two renames. The first moves its file to a place that belongs to the lock (a deletion makes a directory
 *   there). Then it checks that the lock still counts. The second rename moves the file from there to its name (a deletion
 *   moves the object there). The holder of a newer lock empties the places of the older ones first. So the second rename of a
 *   process that was stopped finds its place empty, and fails.
 */
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { StoreUnavailable } from "../object-store.ts";
import { STORE_MARK, TEMPORARY } from "./prepare.ts";

/** A lock that was busy for this long is abandoned: a change takes microseconds. */
const GIVE_UP_MS = 1_000;
/** Between two tries (ms). */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 10;

export class FilesystemLock {
  readonly #directory: string;
  #number = 0;
  #db: Database.Database;

  constructor(directory: string) {
    this.#directory = directory;
    this.#db = openLock(this.#path(0));
  }

  /**
   * Renames a new file into its place, in a directory that exists. `judge` is called under the lock and may throw. `end`: the
   * deadline of the change, by `performance.now()`. Throws `StoreUnavailable` if it was not made; it then will not be made later.
   */
  rename(from: string, to: string, end: number, judge: () => void): Promise<void> {
    return this.#hold(end, (held) => {
      moveInto(from, held);
      this.#checkNewest();
      judge();
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
        throw new StoreUnavailable(`${this.#directory}: another writer took this one for stopped; nothing was changed`);
      }
      const now = performance.now();
      busySince ??= now;
      if (now - busySince >= GIVE_UP_MS) {
        // The second process finds it there.
        openLock(this.#path(this.#number + 1)).close();
        busySince = undefined;
      } else if (now >= end) throw tooLate();
      else await wait(SHORTEST_PAUSE_MS + Math.random() * (LONGEST_PAUSE_MS - SHORTEST_PAUSE_MS));
    }
  }

  #followNewest(): void {
    while (existsSync(this.#path(this.#number + 1))) {
      this.#db.close();
      this.#db = openLock(this.#path(++this.#number));
    }
  }

  /** False if another process holds the lock. */
  #tryBegin(): boolean {
    try {
      this.#db.exec("BEGIN EXCLUSIVE");
    } catch (error) {
      if (error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY")) return false;
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

  /** The place to which the holder of a lock moves its file. */
  #held(number: number): string {
    return join(this.#directory, TEMPORARY, `held-${number}`);
  }
}

/** A deletion that was killed may leave its directory there. */
function moveInto(from: string, held: string): void {
  try {
    renameSync(from, held);
  } catch (error) {
    if (isAbsent(error)) throw error;
    rmSync(held, { recursive: true, force: true });
    renameSync(from, held);
  }
}

/** Another process has made a newer lock, and only the newest one counts. */
class LockAbandoned extends Error {
  override readonly name = "LockAbandoned";
}

function openLock(path: string): Database.Database {
  const db = new Database(path, { timeout: 0 });
  // By default a transaction on an empty file creates, writes and deletes a journal file.
  db.pragma("journal_mode = MEMORY");
  return db;
}

function checkTime(end: number): void {
  if (performance.now() >= end) throw tooLate();
}

function tooLate(): StoreUnavailable {
  return new StoreUnavailable("it did not end within its time limit, so nothing was changed", {
    hint: "The disk is slow or full of work, or another process holds the store: look for one that is stopped.",
  });
}

function isAbsent(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
