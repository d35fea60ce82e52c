/**
 * How far the Oracle's closures cover the rounds after the settled frontier without a hole, kept in memory as
 * `round-run.ts` keeps its sums: a closure is read once.
 */
import type { Database } from "better-sqlite3";
import { iterateClosures, readClosureOf } from "../../ledger/read/rounds.ts";

export class AcceptedRun {
  /** Every round of (after, through] is accepted. */
  #after = 0n;
  #through = 0n;

  /** The last round of the unbroken acceptance after the frontier; `newest` is the highest accepted round. */
  move(ledger: Database, installation: number, frontier: bigint, newest: bigint): bigint {
    const lost = frontier < this.#after || (this.#through > newest && this.#through > this.#after);
    if (lost || frontier >= this.#through) {
      this.#through = readClosureOf(ledger, installation, frontier + 1n)?.lastRound ?? frontier;
    }
    this.#after = frontier;
    // Without a first closure there is no run to go on from: it may yet begin at or below the frontier.
    if (this.#through === frontier || this.#through >= newest) return this.#through;
    for (const closure of iterateClosures(ledger, installation, this.#through)) {
      if (closure.firstRound !== this.#through + 1n) break;
      this.#through = closure.lastRound;
    }
    return this.#through;
  }
}
