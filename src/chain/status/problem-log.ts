/** What a poll finds wrong: told to the operator at once, and written down for `chain status` where it is news. */
import type { Database } from "better-sqlite3";
import type { PollEvent, ProblemEvent } from "../poll-event.ts";
import { readSync, writeProblem } from "../store/sync-row.ts";

export class ProblemLog {
  readonly #db: Database;
  readonly #onEvent: (event: PollEvent) => void;
  #found: ProblemEvent | undefined;
  /** JSON of what was last written down. */
  #written: string | undefined;

  constructor(db: Database, onEvent: (event: PollEvent) => void) {
    this.#db = db;
    this.#onEvent = onEvent;
    const { problem } = readSync(db);
    this.#written = problem === undefined ? undefined : JSON.stringify(problem.event);
  }

  get any(): boolean {
    return this.#found !== undefined;
  }

  tell(event: ProblemEvent): void {
    this.#onEvent(event);
    this.#found = event;
  }

  /** Another node has made it good, or another poll begins. */
  forget(): void {
    this.#found = undefined;
  }

  /** At the end of a poll; `now` in epoch ms. */
  write(now: number): void {
    const text = this.#found === undefined ? undefined : JSON.stringify(this.#found);
    if (text === this.#written) return;
    this.#written = text;
    writeProblem(this.#db, this.#found, now);
  }
}
