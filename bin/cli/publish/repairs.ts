/** Damaged objects that were rewritten. Each is reported once, no matter which check has found it. */
import { type ReportRow, WAS_DAMAGED } from "../../../publish/report.ts";
import type { StoreOperation, StoreOutcome } from "../../../src/object-store/counted-store.ts";

export class Repairs {
  readonly #report: (key: string) => void;
  /** Read as damaged, and not rewritten yet. */
  readonly #damaged = new Set<string>();
  /** Reported since the last cycle. */
  readonly #reported = new Set<string>();

  constructor(report: (key: string) => void) {
    this.#report = report;
  }

  /** Must be called after each request to the store. */
  requested(operation: StoreOperation, key: string, outcome: StoreOutcome): void {
    if (operation === "get" && outcome === "damaged") this.#damaged.add(key);
    if (operation !== "put" || outcome !== "done" || !this.#damaged.delete(key)) return;
    this.#reported.add(key);
    this.#report(key);
  }

  /** Reports the damage that only the cycle can find: a missing object, or a whole one with other bytes than were put. */
  cycled(rows: readonly ReportRow[]): void {
    for (const { key, why, action } of rows) {
      if (why === WAS_DAMAGED && action !== "failed" && !this.#reported.has(key)) this.#report(key);
    }
    this.#reported.clear();
  }
}
