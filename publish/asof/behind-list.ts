/** What is behind, for as long as it is: a cycle in which nothing of it is due says so too. */
import { Failure } from "../../src/values/failure.ts";
import { type ReportFailure, reportFailure } from "../puts/report.ts";

const CODES = new Set(["ledger_behind", "ledger_forked", "chain_behind"]);

/** Of an error that says that the sources are behind what was published. */
export function isBehind(error: unknown): error is Failure {
  return error instanceof Failure && CODES.has(error.code);
}

export class BehindList {
  readonly #failures = new Map<string, Failure>();

  add(key: string, failure: Failure): void {
    this.#failures.set(key, failure);
  }

  /** The object was judged again, and the sources have caught up. */
  clear(key: string): void {
    this.#failures.delete(key);
  }

  /**
   * One for each installation, which its hint names, and one for the chain, however many objects speak of it. A ledger
   * that has forked is told as forked, although it may be behind in another kind of fact.
   */
  report(): ReportFailure[] {
    const subjects = new Map<string, ReportFailure>();
    for (const failure of this.#failures.values()) {
      const subject = failure.hint ?? failure.code;
      const isWorse = failure.code === "ledger_forked" && subjects.get(subject)?.code !== "ledger_forked";
      if (isWorse || !subjects.has(subject)) subjects.set(subject, reportFailure(failure));
    }
    return [...subjects.values()];
  }
}
