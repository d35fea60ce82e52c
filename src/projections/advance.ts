/**
 * Brings the projections to the state of the ledger, by new facts only and in bounded steps. One transaction: a
 * watermark commits with the data that it speaks of, so that a crash at any point leaves a state to go on from.
 */
import type { Database } from "better-sqlite3";
import type { Installation } from "../ledger/watermarks.ts";
import { ROUND_SECONDS } from "../values/round.ts";
import { slotAt } from "../values/slot.ts";
import { followInstallations, nextInstallations } from "./follow-installations.ts";
import { newestChange, newestPosition, readFollowedClosures, readFollowedOf } from "./followed.ts";
import { followClosures, hasElapsedWaiting, hasNewClosure } from "./rounds/follow-closures.ts";
import { lastObservedSlot } from "./rounds/round-totals.ts";
import { forgetRounds } from "./schema.ts";

export interface AdvanceOptions {
  /** Seconds; undefined where it is not known yet: rounds then wait. */
  readonly genesis: bigint | undefined;
  /** Epoch ms: a round is observed once it has elapsed. */
  readonly at: number;
  /** Its facts are taken in before the others'. */
  readonly first?: Installation | undefined;
  readonly budget?: Budget;
}

/** The most of one step. */
export interface Budget {
  /** And as many submissions. */
  readonly rounds: number;
  readonly receipts: number;
  readonly installations: number;
}

/** A step of about a tenth of a second. */
export const STEP: Budget = { rounds: 10_000, receipts: 200_000, installations: 1000 };

/** One that a publisher may take between two things that wait for it: some 20 ms. */
export const SHORT_STEP: Budget = { rounds: 2000, receipts: 20_000, installations: 32 };

/** What the ledger holds beyond a step. */
export interface LeftOver {
  /** Rounds, or facts of the first installation. */
  readonly first: boolean;
  readonly any: boolean;
}

/** One step; true while the ledger holds more than it took in. See `advanceStep`. */
export function advanceProjections(ledger: Database, projections: Database, options: AdvanceOptions): boolean {
  return advanceStep(ledger, projections, options).any;
}

/**
 * One step. Where the ledger was replaced or has gone back, where genesis is another, or where `at` lies before a round
 * that counts as elapsed, it begins again from nothing.
 */
export function advanceStep(ledger: Database, projections: Database, options: AdvanceOptions): LeftOver {
  const { first, budget = STEP } = options;
  const step = projections.transaction((): LeftOver => {
    const next = nextInstallations(ledger, projections, first, budget.installations);
    const lacksRounds = advanceRounds(ledger, projections, options, budget.rounds);
    const left = followInstallations(ledger, projections, next.installations, {
      ...budget,
      submissions: budget.rounds,
    });
    const lacksMore = left.any || next.settle();
    return { first: lacksRounds || (left.first && first !== undefined), any: lacksMore || lacksRounds };
  });
  // Immediate: a step that read first and wrote then would fail where a rebuild took over in between.
  return step.immediate();
}

/** Whether the projections of an installation are not yet what they are at `at` (epoch ms): facts, or elapsed rounds. */
export function isBehind(ledger: Database, projections: Database, installation: number, at: number): boolean {
  return lacksFacts(ledger, projections, installation) || hasElapsedWaiting(projections, at);
}

/** Whether the ledger holds anything for an installation that has not been taken in. */
export function lacksFacts(ledger: Database, projections: Database, installation: number): boolean {
  const followed = readFollowedOf(projections, installation);
  return (
    followed === undefined ||
    followed.position < newestPosition(ledger, installation) ||
    followed.changedSeq < newestChange(ledger, installation) ||
    hasNewClosure(ledger, projections)
  );
}

function advanceRounds(ledger: Database, projections: Database, options: AdvanceOptions, budget: number): boolean {
  const { genesis, at } = options;
  if (genesis === undefined || genesis % BigInt(ROUND_SECONDS) !== 0n) return false;
  const followed = readFollowedClosures(projections).genesis;
  const last = lastObservedSlot(projections);
  if ((followed !== null && followed !== String(genesis)) || (last !== undefined && last >= slotAt(at))) {
    forgetRounds(projections);
  }
  return followClosures({ ledger, projections }, genesis, at, budget) >= budget;
}
