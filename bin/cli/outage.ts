/**
 * Reports an outage when it begins, every ten minutes while it lasts, and when it has ended. It ends only when everything
 * that failed has succeeded, so the last line is never a false all-clear.
 */

/** Interval (ms) between two reports of one outage. */
const REPORTED_EVERY_MS = 600_000;

export interface OutageReports<Problem> {
  /** Called with the newest problem, and the failures since the last report. */
  lasts(problem: Problem, failures: number): void;
  /** Called with the outage's duration in ms. */
  ended(durationMs: number): void;
}

/** The two reports of a part that can fail. */
export type Outages = Pick<Outage, "failed" | "succeeded">;

export class Outage<Problem = Error> {
  readonly #monotonic: () => number;
  readonly #reports: OutageReports<Problem>;
  /** The operations that have failed and have not succeeded since. */
  readonly #failing = new Set<string>();
  #since = 0;
  #reportedAt = 0;
  #failures = 0;

  /** `monotonic` returns ms. */
  constructor(monotonic: () => number, reports: OutageReports<Problem>) {
    this.#monotonic = monotonic;
    this.#reports = reports;
  }

  /** `operation`: the one that must succeed before the outage ends. */
  failed(problem: Problem, operation = ""): void {
    const now = this.#monotonic();
    const isNew = this.#failing.size === 0;
    this.#failing.add(operation);
    this.#failures++;
    if (isNew) this.#since = now;
    else if (now - this.#reportedAt < REPORTED_EVERY_MS) return;
    this.#reportedAt = now;
    this.#reports.lasts(problem, this.#failures);
    this.#failures = 0;
  }

  /** Must be called only after the same operation has succeeded. */
  succeeded(operation = ""): void {
    if (!this.#failing.delete(operation) || this.#failing.size > 0) return;
    this.#failures = 0;
    this.#reports.ended(Math.round(this.#monotonic() - this.#since));
  }
}
