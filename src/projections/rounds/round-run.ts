/**
 * The sums over an unbroken run of closed rounds after the settled frontier, kept in memory: a round is read once when
 * the run reaches it and once when the frontier passes it, however far the chain lags behind.
 */
import type { Database } from "better-sqlite3";
import { type ClosedRound, iterateRounds } from "../../ledger/read/rounds.ts";

export interface RoundTotals {
  readonly count: bigint;
  /** Rounds with work above zero. */
  readonly activeCount: bigint;
  readonly ineligibleCount: bigint;
  readonly workUnits: bigint;
}

/** Rounds never change once they are in the ledger, so that what a run holds stays true. */
export class RoundRun {
  /** The run is (after, through]. */
  #after = 0n;
  #through = 0n;
  #activeCount = 0n;
  #ineligibleCount = 0n;
  #workUnits = 0n;

  /** Makes it the run of rounds after the frontier, up to `limit` or the first that is missing. */
  move(ledger: Database, installation: number, frontier: bigint, limit: bigint): void {
    const lost = frontier < this.#after || (this.#through > limit && this.#through > this.#after);
    if (lost || frontier > this.#through) this.#restart(frontier);
    if (frontier > this.#after) {
      for (const round of iterateRounds(ledger, installation, this.#after, frontier)) this.#count(round, -1n);
      this.#after = frontier;
    }
    if (this.#through >= limit) return;
    for (const round of iterateRounds(ledger, installation, this.#through, limit)) {
      if (round.roundId !== this.#through + 1n) break;
      this.#count(round, 1n);
      this.#through = round.roundId;
    }
  }

  /** The last round of the run, the frontier itself where it is empty. */
  get through(): bigint {
    return this.#through;
  }

  get totals(): RoundTotals {
    return {
      count: this.#through - this.#after,
      activeCount: this.#activeCount,
      ineligibleCount: this.#ineligibleCount,
      workUnits: this.#workUnits,
    };
  }

  #restart(frontier: bigint): void {
    this.#after = this.#through = frontier;
    this.#activeCount = this.#ineligibleCount = this.#workUnits = 0n;
  }

  #count(round: ClosedRound, sign: 1n | -1n): void {
    this.#workUnits += sign * round.workUnits;
    if (round.workUnits > 0n) this.#activeCount += sign;
    if (!round.eligible) this.#ineligibleCount += sign;
  }
}
