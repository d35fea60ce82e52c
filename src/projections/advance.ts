/**
 * Brings the projections to the state of the ledger, by new facts only and in bounded steps. One transaction: a
 * watermark commits with the data that it speaks of, so that a crash at any point leaves a state to go on from.
 */
import type { Database } from "better-sqlite3";
import { changedSince } from "../ledger/read/changes.ts";
import { readTelemetryIdAt } from "../ledger/read/receipts.ts";
import { type Installation, listInstallations, readInstallation } from "../ledger/watermarks.ts";
import { ROUND_SECONDS } from "../values/round.ts";
import { slotAt } from "../values/slot.ts";
import {
  type Followed,
  isSameLedger,
  newestChange,
  newestPosition,
  readFollowedClosures,
  readFollowedOf,
  readFollowedPoint,
  writeFollowed,
  writeFollowedPoint,
} from "./followed.ts";
import { followClosures, hasElapsedWaiting, hasNewClosure } from "./rounds/follow-closures.ts";
import { lastObservedSlot } from "./rounds/round-totals.ts";
import { forgetLedger, forgetRounds } from "./schema.ts";
import { followSubmissions } from "./settlements/submissions.ts";
import { raisePeaks } from "./statistics/peaks.ts";

export interface AdvanceOptions {
  /** Seconds; undefined where it is not known yet: rounds then wait. */
  readonly genesis: bigint | undefined;
  /** Epoch ms: a round is observed once it has elapsed. */
  readonly at: number;
  /** The most rounds (and submissions) and receipts of one step. */
  readonly budget?: Budget;
}

export interface Budget {
  readonly rounds: number;
  readonly receipts: number;
}

/** A step of about a tenth of a second. */
export const STEP: Budget = { rounds: 10_000, receipts: 200_000 };

/**
 * One step; true while the ledger holds more than it took in. Where the ledger was replaced or has gone back, where
 * genesis is another, or where `at` lies before a round that counts as elapsed, it begins again from nothing.
 */
export function advanceProjections(ledger: Database, projections: Database, options: AdvanceOptions): boolean {
  const step = projections.transaction(() => {
    const point = readFollowedPoint(projections);
    const { now, installations: moved } = changedSince(ledger, point);
    // Where the point is still the ledger's, so is what has been followed; else each installation is looked at.
    if (moved === undefined && !isSameLedger(ledger, projections)) forgetLedger(projections);
    const { rounds, receipts } = options.budget ?? STEP;
    const lacksRounds = advanceRounds(ledger, projections, options, rounds);
    const installations = moved?.flatMap((no) => readInstallation(ledger, no) ?? []) ?? listInstallations(ledger);
    const lacksMore = advanceInstallations(ledger, projections, installations, { rounds, receipts });
    if (!lacksMore && now.seq > 0 && (now.seq !== point?.seq || now.check !== point.check)) {
      writeFollowedPoint(projections, now);
    }
    return lacksMore || lacksRounds;
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

function advanceInstallations(
  ledger: Database,
  projections: Database,
  installations: readonly Installation[],
  budget: Budget,
): boolean {
  let more = false;
  let changesLeft = budget.rounds;
  let receiptsLeft = budget.receipts;
  for (const installation of installations) {
    const followed = readFollowedOf(projections, installation.no);
    const before = followed ?? unfollowed(installation);
    const newest = newestPosition(ledger, installation.no);
    const position = Math.min(newest, before.position + receiptsLeft);
    if (position > before.position) {
      raisePeaks({ ledger, projections }, installation.no, before.position + 1, position);
      receiptsLeft -= position - before.position;
    }
    const { changedSeq, taken } =
      changesLeft > 0
        ? followSubmissions({ ledger, projections }, installation.no, before.changedSeq, changesLeft)
        : { changedSeq: before.changedSeq, taken: 0 };
    changesLeft -= taken;
    if (position < newest || changesLeft <= 0) more = true;
    if (position > before.position || changedSeq > before.changedSeq || followed === undefined) {
      const telemetryId = position === 0 ? null : (readTelemetryIdAt(ledger, installation.no, position) ?? null);
      writeFollowed(projections, { ...before, position, telemetryId, changedSeq });
    }
  }
  return more;
}

function unfollowed({ no, id }: Installation): Followed {
  return { installation: no, id, position: 0, telemetryId: null, changedSeq: 0 };
}
