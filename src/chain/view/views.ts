/** The published views of one reading (docs/spec/api.md), and their form in the chain's file. */
import { fromBigintJson } from "../../values/decimal.ts";
import type { ChainEvent, ChainPoint, CoreView, EconomyView, SafeCoreState } from "../chain-state.ts";
import type { Deployment, EconomyDeployment } from "../deployment.ts";
import type { SyncRow } from "../store/sync-row.ts";
import { governance } from "./governance.ts";
import { miningImplementation, type WholeReading } from "./reading.ts";
import type { CoreStateRead, EconomyStateRead } from "./state-read.ts";

export interface Snapshot {
  readonly core: CoreView;
  readonly safeCore: SafeCoreState;
  /** Undefined without an economy, and if its checks fail. */
  readonly economy: EconomyView | undefined;
}

/** Facts from the stored logs and those of the pass, at the safe block. */
export interface LogFacts {
  /** Newest first, at most 25. */
  readonly events: readonly ChainEvent[];
  readonly source: ChainEvent;
  readonly lastSettlement: ChainEvent | undefined;
  /** Calls of the timelock, ascending. */
  readonly timelock: readonly ChainEvent[];
}

/** The parts of the Core's view, all of one safe block. */
export interface CoreFindings {
  readonly deployment: Deployment;
  readonly reading: WholeReading;
  readonly core: CoreStateRead;
  readonly facts: LogFacts;
  readonly head: bigint;
}

export function coreView({ deployment, reading, core, facts, head }: CoreFindings): CoreView {
  return {
    chain: chainPoint(deployment, reading, head),
    identities: {
      factory: deployment.factory,
      core: deployment.core,
      proxyAdmin: deployment.proxyAdmin,
      proxyAdminOwner: core.proxyAdminOwner,
      operatorTimelock: deployment.operatorTimelock,
      operatorProposer: deployment.operatorProposer,
      proxyImplementation: reading.implementation,
      proxyAdminSlot: reading.proxyAdminSlot,
    },
    configuration: {
      streamId: core.streamId,
      genesisTimestamp: core.genesisTimestamp,
      roundDuration: core.roundDuration,
      maxWorkPerRound: core.maxWorkPerRound,
      maxRoundsPerBatch: core.maxRoundsPerBatch,
      workPerBlock: core.workPerBlock,
      guardian: core.guardian,
      reporter: core.reporter,
    },
    core: {
      settledThroughRound: core.settledThroughRound,
      cumulativeWork: core.cumulativeWork,
      blockHeight: core.blockHeight,
      currentWork: core.currentWork,
      workPerBlock: core.workPerBlock,
      authorizationNonce: core.authorizationNonce,
      paused: core.paused,
    },
    implementation: {
      codeAddress: reading.implementation,
      codeVersion: core.codeVersion,
      storageLayoutDigest: core.storageLayoutDigest,
      runtimeHash: reading.runtimeHash,
    },
    governance: governance(facts.timelock, deployment.proxyAdmin, reading.implementation),
    source: facts.source,
    events: facts.events,
  };
}

export function economyView(
  deployment: EconomyDeployment,
  reading: WholeReading,
  economy: EconomyStateRead,
): EconomyView {
  return {
    releaseId: deployment.releaseId,
    protocolRevision: deployment.protocolRevision,
    rewardModelRevision: deployment.rewardModelRevision,
    deploymentBlock: BigInt(deployment.deploymentBlock),
    mining: deployment.mining,
    token: deployment.token,
    tokenFactory: deployment.tokenFactory,
    collection: deployment.collection,
    symbol: economy.symbol,
    miningImplementation: miningImplementation(deployment.mining, reading),
    miningImplementationVersion: economy.implementationVersion,
    miningStorageLayoutDigest: economy.storageLayoutDigest,
    mintedThroughRound: economy.mintedThroughRound,
    baselineRewardPerBlock: economy.baselineRewardPerBlock,
    rewardWeightActivationRound: economy.rewardWeightActivationRound,
  };
}

export function safeCoreState(core: CoreStateRead, lastSettlement: ChainEvent | undefined): SafeCoreState {
  return {
    settledThroughRound: core.settledThroughRound,
    cumulativeWork: core.cumulativeWork,
    blockHeight: core.blockHeight,
    currentWork: core.currentWork,
    workPerBlock: core.workPerBlock,
    lastSettlement:
      lastSettlement === undefined
        ? null
        : { confirmedAt: lastSettlement.blockTimestamp, transactionHash: lastSettlement.transactionHash },
  };
}

/** Undefined before the first good pass, and if the chain has contradicted it. */
export function storedSnapshot({ snapshot }: SyncRow): Snapshot | undefined {
  return snapshot === null ? undefined : (fromBigintJson(snapshot) as Snapshot);
}

function chainPoint(deployment: Deployment, { block }: WholeReading, head: bigint): ChainPoint {
  return {
    target: deployment.target,
    chainId: BigInt(deployment.chainId),
    deploymentBlock: BigInt(deployment.deploymentBlock),
    indexedThroughBlock: head,
    safeThroughBlock: block.number,
    safeBlockHash: block.hash,
    safeBlockTimestamp: block.timestamp,
  };
}
