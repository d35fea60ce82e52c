/** Sums the closed and the accepted rounds after the settled frontier (docs/spec/api.md#process-builder). */

import {
  type ClosedRound,
  iterateClosures,
  iterateRounds,
  readClosureOf,
  readNewestClosure,
  readNewestRoundId,
} from "../../ledger/read/rounds.ts";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";

export interface RoundsAfterFrontier {
  /** The higher of the frontier and the highest round id in the ledger. */
  readonly newestClosed: bigint;
  /** All closed rounds after the frontier; undefined if a round before the newest closed one is missing. */
  readonly closed: RunTotals | undefined;
  /** All accepted rounds after the frontier; undefined if an earlier round is missing or not accepted. */
  readonly accepted: RunTotals | undefined;
}

interface Runs {
  readonly closed: RoundRun;
  readonly accepted: RoundRun;
  readonly acceptance: AcceptedRun;
}

const runs = new WeakMap<ReadOnlyDatabase, Map<number, Runs>>();

/**
 * Reads the rounds that arrived or were settled since the last call on the same ledger; the first call reads all rounds
 * after the frontier.
 */
export function readRoundsAfter(ledger: ReadOnlyDatabase, installation: number, frontier: bigint): RoundsAfterFrontier {
  const { closed, accepted, acceptance } = runsOf(ledger, installation);
  const newestRound = readNewestRoundId(ledger, installation) ?? 0n;
  const newestAccepted = readNewestClosure(ledger, installation)?.lastRound ?? 0n;
  closed.move(ledger, installation, frontier, newestRound);
  const acceptedThrough = acceptance.move(ledger, installation, frontier, newestAccepted);
  const isCovered = acceptedThrough >= newestAccepted;
  if (isCovered) accepted.move(ledger, installation, frontier, newestAccepted);
  return {
    newestClosed: newestRound > frontier ? newestRound : frontier,
    closed: closed.through >= newestRound ? closed.totals : undefined,
    accepted: isCovered && accepted.through >= newestAccepted ? accepted.totals : undefined,
  };
}

function runsOf(ledger: ReadOnlyDatabase, installation: number): Runs {
  let ofLedger = runs.get(ledger);
  if (ofLedger === undefined) runs.set(ledger, (ofLedger = new Map()));
  let found = ofLedger.get(installation);
  if (found === undefined) {
    found = { closed: new RoundRun(), accepted: new RoundRun(), acceptance: new AcceptedRun() };
    ofLedger.set(installation, found);
  }
  return found;
}

interface RunTotals {
  readonly count: bigint;
  /** Rounds with work above zero. */
  readonly activeCount: bigint;
  readonly ineligibleCount: bigint;
  readonly workUnits: bigint;
}

/**
 * Sums over an unbroken run of closed rounds after the settled frontier. Each round is read once when the run reaches
 * it and once when the frontier passes it. Sums stay valid because rounds never change.
 */
class RoundRun {
  /** The run is (after, through]. */
  #after = 0n;
  #through = 0n;
  #activeCount = 0n;
  #ineligibleCount = 0n;
  #workUnits = 0n;

  /** Moves the run to the rounds after the frontier, up to `limit` or the first missing round. */
  move(ledger: ReadOnlyDatabase, installation: number, frontier: bigint, limit: bigint): void {
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

  /** The last round of the run, or the frontier if the run is empty. */
  get through(): bigint {
    return this.#through;
  }

  get totals(): RunTotals {
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

/** Tracks how far the Oracle's closures cover the rounds after the frontier without a gap. Reads each closure once. */
class AcceptedRun {
  /** Every round of (after, through] is accepted. */
  #after = 0n;
  #through = 0n;

  /** Returns the last round accepted without a gap after the frontier; `newest` is the highest accepted round. */
  move(ledger: ReadOnlyDatabase, installation: number, frontier: bigint, newest: bigint): bigint {
    const lost = frontier < this.#after || (this.#through > newest && this.#through > this.#after);
    if (lost || frontier >= this.#through) {
      this.#through = readClosureOf(ledger, installation, frontier + 1n)?.lastRound ?? frontier;
    }
    this.#after = frontier;
    // Without a first closure there is no run to extend: a later one may begin at or below the frontier.
    if (this.#through === frontier || this.#through >= newest) return this.#through;
    for (const closure of iterateClosures(ledger, installation, this.#through)) {
      if (closure.firstRound !== this.#through + 1n) break;
      this.#through = closure.lastRound;
    }
    return this.#through;
  }
}
