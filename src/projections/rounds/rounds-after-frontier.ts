/**
 * What lies between the settled frontier and the newest closed and the newest accepted round
 * (docs/spec/api.md#process-builder).
 */
import type { Database } from "better-sqlite3";
import { readNewestClosure, readNewestRoundId } from "../../ledger/read/rounds.ts";
import { AcceptedRun } from "./accepted-run.ts";
import { RoundRun, type RoundTotals } from "./round-run.ts";

export interface RoundsAfterFrontier {
  /** The higher of the frontier and the highest round id in the ledger. */
  readonly newestClosed: bigint;
  /** All closed rounds after the frontier; undefined where one is missing before the newest closed one. */
  readonly closed: RoundTotals | undefined;
  /** The accepted ones; undefined where one is missing or not accepted before the newest accepted one. */
  readonly accepted: RoundTotals | undefined;
}

interface Runs {
  readonly closed: RoundRun;
  readonly accepted: RoundRun;
  readonly acceptance: AcceptedRun;
}

const runs = new WeakMap<Database, Map<number, Runs>>();

/** Costs what has come in or been settled since the last call on the same ledger, and at first what lies after the frontier. */
export function readRoundsAfter(ledger: Database, installation: number, frontier: bigint): RoundsAfterFrontier {
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

function runsOf(ledger: Database, installation: number): Runs {
  let ofLedger = runs.get(ledger);
  if (ofLedger === undefined) runs.set(ledger, (ofLedger = new Map()));
  let found = ofLedger.get(installation);
  if (found === undefined) {
    found = { closed: new RoundRun(), accepted: new RoundRun(), acceptance: new AcceptedRun() };
    ofLedger.set(installation, found);
  }
  return found;
}
