/** Notices `chain rewind` or `chain sync` beside this process: what it remembers then no longer fits the file. */
import type { Database } from "better-sqlite3";
import { readSync } from "./sync-row.ts";

export class OtherWriters {
  readonly #db: Database;
  #known: string;

  constructor(db: Database) {
    this.#db = db;
    this.#known = stateOf(db);
  }

  /** After a write of this process. */
  wrote(): void {
    this.#known = stateOf(this.#db);
  }

  /** True if another process has written since the last call, or since the last write of this one. */
  haveWritten(): boolean {
    const state = stateOf(this.#db);
    const isAnother = state !== this.#known;
    this.#known = state;
    return isAnother;
  }
}

function stateOf(db: Database): string {
  const { stored, history } = readSync(db);
  return `${history}:${stored?.block}:${stored?.hash}`;
}
