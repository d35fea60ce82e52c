/**
 * Reads the inputs of the process snapshot (docs/spec/api.md#process) in one transaction. Rounds and work are bigint,
 * instants are epoch ms.
 */

import type { SafeCoreState } from "../../chain/chain-state.ts";
import { isEpochApproved, type Receipt, readNewestReceipt } from "../../ledger/read/receipts.ts";
import {
  type LastCompletion,
  type ReporterRun,
  readLastCompletion,
  readLastRun,
} from "../../ledger/read/reporter-runs.ts";
import { type Closure, readLatestAcceptedAt, readNewestClosure } from "../../ledger/read/rounds.ts";
import { readActiveSubmission, readLatestSubmission, type Submission } from "../../ledger/read/submissions.ts";
import {
  NO_CONTROL,
  readOracleBlock,
  readSettlementControl,
  type SettlementControl,
} from "../../ledger/read/switches.ts";
import type { Installation } from "../../ledger/watermarks.ts";
import { readOpenWork } from "../../projections/rounds/open-round.ts";
import { type RoundsAfterFrontier, readRoundsAfter } from "../../projections/rounds/rounds-after-frontier.ts";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";
import { roundEnd } from "../../values/round.ts";

/** `at`: the body's instant; `seenAt`: the clock when the facts were read. Both in epoch ms. */
export interface ProcessTime {
  readonly at: number;
  readonly seenAt: number;
}

export interface ProcessFacts {
  readonly installationId: string;
  /** Undefined without a safe Core state. */
  readonly core: SafeCoreState | undefined;
  /** The newest receipt, and if its epoch is approved. */
  readonly measurement: { readonly receipt: Receipt; readonly isEpochApproved: boolean } | undefined;
  /** Undefined without a safe Core state, because there is no frontier. */
  readonly rounds: RoundsAfterFrontier | undefined;
  readonly openRoundWorkUnits: bigint;
  readonly oracle: {
    readonly blockedReason: string | null;
    /** The highest acceptedAt and the closure with the highest lastRound; undefined before the first closure. */
    readonly accepted: { readonly latestAt: number; readonly newest: Closure } | undefined;
  };
  readonly control: SettlementControl;
  readonly lastRun: ReporterRun | undefined;
  readonly lastCompletion: LastCompletion | undefined;
  readonly latestSubmission: Submission | undefined;
  readonly activeSubmission: Submission | undefined;
}

/** Returns the facts if there is no ledger, or the ledger lacks the installation. */
export function noProcessFacts(installationId: string, core: SafeCoreState | undefined): ProcessFacts {
  const none = { count: 0n, activeCount: 0n, ineligibleCount: 0n, workUnits: 0n };
  return {
    installationId,
    core,
    measurement: undefined,
    rounds: core === undefined ? undefined : { newestClosed: core.settledThroughRound, closed: none, accepted: none },
    openRoundWorkUnits: 0n,
    oracle: { blockedReason: null, accepted: undefined },
    control: NO_CONTROL,
    lastRun: undefined,
    lastCompletion: undefined,
    latestSubmission: undefined,
    activeSubmission: undefined,
  };
}

/** The inputs from the chain. */
export interface ProcessChain {
  readonly core: SafeCoreState | undefined;
  /** Seconds; undefined if unknown. */
  readonly genesisTimestamp: bigint | undefined;
}

export function readProcessFacts(
  ledger: ReadOnlyDatabase,
  { rowId: installation, id: installationId }: Installation,
  { core, genesisTimestamp }: ProcessChain,
): ProcessFacts {
  const receipt = readNewestReceipt(ledger, installation);
  const rounds = core === undefined ? undefined : readRoundsAfter(ledger, installation, core.settledThroughRound);
  const newest = readNewestClosure(ledger, installation);
  const latestAt = readLatestAcceptedAt(ledger, installation);
  return {
    installationId,
    core,
    measurement:
      receipt === undefined
        ? undefined
        : { receipt, isEpochApproved: isEpochApproved(ledger, installation, receipt.counterEpoch) },
    rounds,
    openRoundWorkUnits:
      receipt === undefined || rounds === undefined || genesisTimestamp === undefined
        ? 0n
        : readOpenWork(ledger, installation, receipt, roundEnd(genesisTimestamp, rounds.newestClosed)),
    oracle: {
      blockedReason: readOracleBlock(ledger, installation),
      accepted: newest === undefined || latestAt === undefined ? undefined : { latestAt, newest },
    },
    control: readSettlementControl(ledger, installation),
    lastRun: readLastRun(ledger, installation),
    lastCompletion: readLastCompletion(ledger, installation),
    latestSubmission: readLatestSubmission(ledger, installation),
    activeSubmission: readActiveSubmission(ledger, installation),
  };
}
