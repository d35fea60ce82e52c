/** What the sources would take back, for as long as they would: a cycle in which nothing of it is due reports it too. */
import type { Failure } from "../src/values/failure.ts";
import { type ReportFailure, reportFailure } from "./report.ts";

export class Regressions {
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
