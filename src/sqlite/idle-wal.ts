/**
 * Empties a database's -wal file after a quiet period, so that an idle ledger consists of nearly one file. Never waits
 * for a reader: the next call tries again.
 */
import type { Database } from "better-sqlite3";
import { readNumber, statement } from "./statement.ts";

/** A row of `PRAGMA wal_checkpoint`. */
interface WalCheckpoint {
  /** 1 if a reader or writer stopped it. */
  readonly busy: number;
  /** Pages in the -wal file, and those of them in the database. */
  readonly log: number;
  readonly checkpointed: number;
}

/** Time without writes before the -wal file is emptied (ms). */
const IDLE_MS = 10_000;

export class IdleWal {
  readonly #db: Database;
  #changes = -1;
  #quietSince = 0;
  #isEmpty = false;

  /** `db` is open for writing. */
  constructor(db: Database) {
    this.#db = db;
  }

  /** Must be called regularly; `now` is ms of a monotonic clock. */
  look(now: number): void {
    const changes = readNumber(this.#db, "SELECT total_changes()");
    if (changes !== this.#changes || this.#db.inTransaction) {
      this.#changes = changes;
      this.#quietSince = now;
      this.#isEmpty = false;
    } else if (!this.#isEmpty && now - this.#quietSince >= IDLE_MS) {
      this.#quietSince = now;
      this.#isEmpty = emptyWal(this.#db);
    }
  }
}

/** Returns false if a reader still needs the content of the -wal file. */
function emptyWal(db: Database): boolean {
  const busyTimeout = readNumber(db, "PRAGMA busy_timeout");
  try {
    db.pragma("busy_timeout = 0");
    const passive = statement<[], WalCheckpoint>(db, "PRAGMA wal_checkpoint(PASSIVE)").get();
    if (passive === undefined || passive.busy !== 0 || passive.log !== passive.checkpointed) return false;
    return statement<[], WalCheckpoint>(db, "PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  } finally {
    db.pragma(`busy_timeout = ${busyTimeout}`);
  }
}
