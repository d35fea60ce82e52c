/** Reports each rewrite of a damaged object exactly once, whichever check found the damage. */
import { type ReportRow, WAS_DAMAGED } from "../../../publish/report.ts";
import type { StoreOperation, StoreOutcome } from "../../../src/object-store/counted-store.ts";

export class RewriteReports {
  readonly #report: (key: string) => void;
  /** Keys that were read as damaged and are not rewritten yet. */
  readonly #damaged = new Set<string>();
  /** Keys reported since the last cycle. */
  readonly #reported = new Set<string>();

  constructor(report: (key: string) => void) {
    this.#report = report;
  }

  /** Call this after each request to the store. */
  requested(operation: StoreOperation, key: string, outcome: StoreOutcome): void {
    if (operation === "get" && outcome === "damaged") this.#damaged.add(key);
    if (operation !== "put" || outcome !== "done" || !this.#damaged.delete(key)) return;
    this.#reported.add(key);
    this.#report(key);
  }

  /** Reports damage that only the cycle finds: a missing object, or an intact one with other bytes than were put. */
  cycled(rows: readonly ReportRow[]): void {
    for (const { key, why, action } of rows) {
      if (why === WAS_DAMAGED && action !== "failed" && !this.#reported.has(key)) this.#report(key);
    }
    this.#reported.clear();
  }
}
