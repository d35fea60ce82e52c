/**
 * Reports an outage when it begins, every ten minutes while it lasts, and when it has ended. It ends only when what failed
 * has succeeded, so the last line is never a false all-clear.
 */

/** Interval (ms) between two reports of one outage. */
const REPORTED_EVERY_MS = 600_000;

export interface OutageReports {
  /** Called with the newest error, and the failures since the last report. */
  lasts(error: Error, failures: number): void;
  /** Called with the outage's duration in ms. */
  ended(durationMs: number): void;
}

export class Outage {
  readonly #monotonic: () => number;
  readonly #reports: OutageReports;
  #since: number | undefined;
  #reportedAt = 0;
  #failures = 0;

  /** `monotonic` returns ms. */
  constructor(monotonic: () => number, reports: OutageReports) {
    this.#monotonic = monotonic;
    this.#reports = reports;
  }

  failed(error: Error): void {
    const now = this.#monotonic();
    this.#failures++;
    if (this.#since !== undefined && now - this.#reportedAt < REPORTED_EVERY_MS) return;
    this.#since ??= now;
    this.#reportedAt = now;
    this.#reports.lasts(error, this.#failures);
    this.#failures = 0;
  }

  /** Must be called only after the same operation has succeeded. */
  succeeded(): void {
    if (this.#since === undefined) return;
    this.#reports.ended(Math.round(this.#monotonic() - this.#since));
    this.#since = undefined;
    this.#failures = 0;
  }
}
