/**
 * What one step of a long work may take, so that other things have their turn before the next. Work is counted and not
 * timed: the same steps come on every machine.
 */

/** Some 10 ms; costs are as measured on the machine of docs/performance.md. */
const SHORT_STEP_US = 10_000;

export class StepBudget {
  #left: number;

  /** In microseconds; without end where all is to be done in one step. */
  constructor(microseconds = Number.POSITIVE_INFINITY) {
    this.#left = microseconds;
  }

  static short(): StepBudget {
    return new StepBudget(SHORT_STEP_US);
  }

  spend(microseconds: number): void {
    this.#left -= microseconds;
  }

  get isSpent(): boolean {
    return this.#left <= 0;
  }

  /** How many things of one cost are left, rounded down. */
  count(microsecondsEach: number): number {
    return Math.max(0, Math.min(Math.floor(this.#left / microsecondsEach), Number.MAX_SAFE_INTEGER));
  }
}
