/**
 * Advances the projections to the ledger and the chain, reading only new facts and in bounded steps. Follows only the
 * configured installation, because no other installation has responses derived here.
 */

import type { Database } from "better-sqlite3";
import type { ChainState } from "../chain/chain-state.ts";
import { eventSource } from "../chain/store/read-events.ts";
import {
  type AcceptedRound,
  acceptedRoundSource,
  type ChangedSubmission,
  type MeasuredReceipt,
  receiptSource,
  submissionSource,
} from "../ledger/sources.ts";
import { installationRowId } from "../ledger/watermarks.ts";
import type { ReadOnlyDatabase } from "../sqlite/statement.ts";
import { ROUND_SECONDS } from "../values/round.ts";
import { slotAt } from "../values/slot.ts";
import { EMPTY_SOURCE, type Source } from "../values/source.ts";
import { ACTIVITY_EVENTS, CHAIN_ACTIVITY, chainActivityFollower } from "./activity/activity-chain.ts";
import { catchUp, deleteCursors, type Faults, isBehind, isolated, StepBudget } from "./follow.ts";
import { RECEIPTS, receiptFollower } from "./receipts.ts";
import { readRoundTotals } from "./rounds/round-totals.ts";
import { hasElapsedWaiting, observeElapsed, ROUNDS, roundFollower } from "./rounds/rounds.ts";
import { SETTLEMENT_EVENTS, SETTLEMENTS, settlementFollower } from "./settlements/settlements.ts";
import { SUBMISSIONS, submissionFollower } from "./settlements/submissions.ts";

export interface LedgerInputs {
  /** Undefined without a ledger: rows of an earlier ledger are then removed. */
  readonly ledger: ReadOnlyDatabase | undefined;
  /** The configured installation. */
  readonly installationId: string;
  /** Seconds; undefined while unknown. Rounds wait until it is known. */
  readonly genesis: bigint | undefined;
  /** Epoch ms: a round is observed once it has elapsed. */
  readonly at: number;
}

/**
 * Takes one step in one transaction; returns true if more remains. Without a budget, only memory limits the step. Throws
 * a follower's exception, unless there are `faults`.
 */
export function advanceLedgerViews(
  projections: Database,
  inputs: LedgerInputs,
  budget = new StepBudget(),
  faults?: Faults,
): boolean {
  const { installationId, genesis, at } = inputs;
  const sources = ledgerSources(inputs);
  const step = projections.transaction(
    (): boolean =>
      isolated(projections, RECEIPTS, faults, () =>
        catchUp(projections, sources.receipts, receiptFollower(installationId), budget),
      ) ||
      isolated(projections, SUBMISSIONS, faults, () =>
        catchUp(projections, sources.submissions, submissionFollower(installationId), budget),
      ) ||
      isolated(
        projections,
        ROUNDS,
        faults,
        () => isOnGrid(genesis) && advanceRounds(projections, sources.rounds, { installationId, genesis, at }, budget),
      ),
  );
  // Immediate: a deferred transaction fails if another process writes between its first read and its first write.
  return step.immediate();
}

interface RoundInputs extends LedgerInputs {
  readonly genesis: bigint;
}

function advanceRounds(
  projections: Database,
  source: Source<AcceptedRound>,
  { installationId, genesis, at }: Omit<RoundInputs, "ledger">,
  budget: StepBudget,
): boolean {
  // The clock went back before the end of an observed round: rebuild, because only elapsed rounds may be observed.
  if ((readRoundTotals(projections)?.lastSlot ?? Number.NEGATIVE_INFINITY) >= slotAt(at)) {
    deleteCursors(projections, [ROUNDS]);
  }
  return (
    catchUp(projections, source, roundFollower(installationId, genesis, at), budget) ||
    observeElapsed(projections, at, budget)
  );
}

function isOnGrid(genesis: bigint | undefined): genesis is bigint {
  return genesis !== undefined && genesis % BigInt(ROUND_SECONDS) === 0n;
}

interface LedgerSources {
  readonly receipts: Source<MeasuredReceipt>;
  readonly submissions: Source<ChangedSubmission>;
  readonly rounds: Source<AcceptedRound>;
}

function ledgerSources({ ledger, installationId }: Pick<LedgerInputs, "ledger" | "installationId">): LedgerSources {
  const rowId = ledger && installationRowId(ledger, installationId);
  if (ledger === undefined || rowId === undefined) {
    return { receipts: EMPTY_SOURCE, submissions: EMPTY_SOURCE, rounds: EMPTY_SOURCE };
  }
  return {
    receipts: receiptSource(ledger, rowId),
    submissions: submissionSource(ledger, rowId),
    rounds: acceptedRoundSource(ledger, rowId),
  };
}

/** Returns true if the ledger has receipts that are missing from the milestones and peaks. */
export function lacksReceipts(
  projections: ReadOnlyDatabase,
  inputs: Pick<LedgerInputs, "ledger" | "installationId">,
): boolean {
  return isBehind(projections, ledgerSources(inputs).receipts, receiptFollower(inputs.installationId));
}

/** Returns true if the statistics lack facts of the ledger, or if genesis is unknown or not a multiple of 600 s. */
export function lacksFacts(projections: ReadOnlyDatabase, inputs: Omit<LedgerInputs, "at">): boolean {
  const { installationId, genesis } = inputs;
  if (!isOnGrid(genesis)) return true;
  const { receipts, submissions, rounds } = ledgerSources(inputs);
  return (
    isBehind(projections, receipts, receiptFollower(installationId)) ||
    isBehind(projections, submissions, submissionFollower(installationId)) ||
    isBehind(projections, rounds, roundFollower(installationId, genesis, 0))
  );
}

/** Returns true if the statistics lack facts or rounds that have elapsed at `at`. */
export function areStatisticsBehind(projections: ReadOnlyDatabase, inputs: LedgerInputs): boolean {
  return lacksFacts(projections, inputs) || hasElapsedWaiting(projections, inputs.at);
}

export interface ChainInputs {
  readonly chain: ChainState;
  readonly chainDb: ReadOnlyDatabase | undefined;
}

/**
 * Takes one step and returns true if more remains. Without a budget, only memory limits the step. Changes nothing while
 * the chain is unavailable. Never goes beyond the safe block of the view that is published with it: a pass may have
 * stored events whose state has not been read yet.
 */
export function advanceChainViews(
  projections: Database,
  { chain, chainDb }: ChainInputs,
  budget = new StepBudget(),
  faults?: Faults,
): boolean {
  if (chain.core.status === "unavailable" || chainDb === undefined) return false;
  const safeBlock = chain.core.view.chain.safeThroughBlock;
  const settlements = () =>
    catchUp(projections, eventSource(chainDb, SETTLEMENT_EVENTS, safeBlock), settlementFollower, budget);
  if (isolated(projections, SETTLEMENTS, faults, settlements)) return true;
  return isolated(projections, CHAIN_ACTIVITY, faults, () => {
    // An event of the activity is the difference of two settlements.
    if (faults?.has(SETTLEMENTS) === true) throw faults.get(SETTLEMENTS);
    return catchUp(projections, eventSource(chainDb, ACTIVITY_EVENTS, safeBlock), chainActivityFollower, budget);
  });
}
