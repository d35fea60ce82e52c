/** What a poll finds wrong: told to the operator at once, and written down for `chain status` where it is news. */
import type { Database } from "better-sqlite3";
import type { PollEvent, ProblemEvent } from "../poll-event.ts";
import { Secrets } from "../rpc/secrets.ts";
import { readSync, writeProblem } from "../store/sync-row.ts";

export interface ProblemLogOptions {
  readonly onEvent: (event: PollEvent) => void;
  /** With their keys. */
  readonly rpcUrls: readonly string[];
}

export class ProblemLog {
  readonly #db: Database;
  readonly #onEvent: (event: PollEvent) => void;
  readonly #secrets: Secrets;
  #found: ProblemEvent | undefined;
  /** JSON of what was last written down. */
  #written: string | undefined;

  constructor(db: Database, { onEvent, rpcUrls }: ProblemLogOptions) {
    this.#db = db;
    this.#onEvent = onEvent;
    this.#secrets = new Secrets(rpcUrls);
    const { problem } = readSync(db);
    this.#written = problem === undefined ? undefined : JSON.stringify(problem.event);
  }

  get any(): boolean {
    return this.#found !== undefined;
  }

  /** Its words may be a node's own: nobody hears them before they are cut, cleaned and without keys. */
  tell(event: ProblemEvent): void {
    const cleaned = this.#cleaned(event);
    this.#onEvent(cleaned);
    this.#found = cleaned;
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
  #cleaned(event: ProblemEvent): ProblemEvent {
    return event.type === "failed"
      ? { ...event, message: this.#secrets.clean(event.message) }
      : { ...event, detail: this.#secrets.clean(event.detail) };
  }
}
