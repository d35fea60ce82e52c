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

interface RunTotals {
  readonly count: bigint;
  /** Rounds with work above zero. */
  readonly activeCount: bigint;
  readonly ineligibleCount: bigint;
  readonly workUnits: bigint;
}

/** The time grows with the rounds after the frontier: a day has 144. */
export function readRoundsAfter(ledger: ReadOnlyDatabase, installation: number, frontier: bigint): RoundsAfterFrontier {
  const newestRound = readNewestRoundId(ledger, installation) ?? 0n;
  const newestAccepted = readNewestClosure(ledger, installation)?.lastRound ?? 0n;
  const isAccepted = acceptedThrough(ledger, installation, frontier) >= newestAccepted;
  return {
    newestClosed: newestRound > frontier ? newestRound : frontier,
    closed: runTotals(iterateRounds(ledger, installation, frontier, newestRound), frontier, newestRound),
    accepted: isAccepted
      ? runTotals(iterateRounds(ledger, installation, frontier, newestAccepted), frontier, newestAccepted)
      : undefined,
  };
}

/** Sums the rounds after the frontier through `last`; undefined if one is missing. */
function runTotals(rounds: Iterable<ClosedRound>, frontier: bigint, last: bigint): RunTotals | undefined {
  let [through, activeCount, ineligibleCount, workUnits] = [frontier, 0n, 0n, 0n];
  for (const round of rounds) {
    if (round.roundId !== through + 1n) return undefined;
    through = round.roundId;
    workUnits += round.workUnits;
    if (round.workUnits > 0n) activeCount++;
    if (!round.eligible) ineligibleCount++;
  }
  return through < last ? undefined : { count: through - frontier, activeCount, ineligibleCount, workUnits };
}

/** Returns the last round that closures accept without a gap after the frontier. */
function acceptedThrough(ledger: ReadOnlyDatabase, installation: number, frontier: bigint): bigint {
  const first = readClosureOf(ledger, installation, frontier + 1n);
  if (first === undefined) return frontier;
  let through = first.lastRound;
  for (const closure of iterateClosures(ledger, installation, through)) {
    if (closure.firstRound !== through + 1n) break;
    through = closure.lastRound;
  }
  return through;
}
