import Database from "better-sqlite3";

/** How long a put waits for another process inside its few microseconds; only a stopped process takes longer. */
const WAIT_MS = 10_000;

/**
 * Mutual exclusion between the processes of one machine: an exclusive transaction on an empty SQLite file, which the
 * kernel ends with the process, however it dies. Nothing is ever written to it.
 */
export class FilesystemLock {
  private readonly db: Database.Database;

  constructor(path: string) {
    this.db = new Database(path, { timeout: WAIT_MS });
    // By default a transaction on an empty file creates, writes and deletes a journal file.
    this.db.pragma("journal_mode = MEMORY");
  }

  /** `action` must be synchronous: it is all that happens in this process while the lock is held. */
  hold<T>(action: () => T): T {
    this.db.exec("BEGIN EXCLUSIVE");
    try {
      return action();
    } finally {
      this.db.exec("ROLLBACK");
    }
  }
}
