/** The published views of one reading (docs/spec/api.md), and their form in the chain's file. */
import { fromBigintJson } from "../../values/decimal.ts";
import type { ChainEvent, ChainPoint, CoreView, EconomyView, SafeCoreState } from "../chain-state.ts";
import type { Deployment, EconomyDeployment } from "../deployment.ts";
import type { SyncRow } from "../store/sync-row.ts";
import { governance } from "./governance.ts";
import { miningImplementation, type WholeReading } from "./reading.ts";
import type { CoreStateRead, EconomyStateRead } from "./view-calls.ts";

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
  const { implementation, proxyAdminSlot, runtimeHash } = reading;
  return {
    chain: chainPoint(deployment, reading, head),
    identities: {
      ...pick(deployment, "factory", "core", "proxyAdmin", "operatorTimelock", "operatorProposer"),
      proxyAdminOwner: core.proxyAdminOwner,
      proxyImplementation: implementation,
      proxyAdminSlot,
    },
    configuration: pick(
      core,
      "streamId",
      "genesisTimestamp",
      "roundDuration",
      "maxWorkPerRound",
      "maxRoundsPerBatch",
      "workPerBlock",
      "guardian",
      "reporter",
    ),
    core: pick(core, ...SAFE_STATE, "authorizationNonce", "paused"),
    implementation: {
      codeAddress: implementation,
      ...pick(core, "codeVersion", "storageLayoutDigest"),
      runtimeHash,
    },
    governance: governance(facts.timelock, deployment.proxyAdmin, implementation),
    source: facts.source,
    events: facts.events,
  };
}

const SAFE_STATE = ["settledThroughRound", "cumulativeWork", "blockHeight", "currentWork", "workPerBlock"] as const;

/** The fields of an object that are published. */
function pick<Whole, Name extends keyof Whole>(whole: Whole, ...names: readonly Name[]): Pick<Whole, Name> {
  return Object.fromEntries(names.map((name) => [name, whole[name]])) as Pick<Whole, Name>;
}

export function economyView(
  deployment: EconomyDeployment,
  reading: WholeReading,
  economy: EconomyStateRead,
): EconomyView {
  return {
    ...deployment,
    deploymentBlock: BigInt(deployment.deploymentBlock),
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
    ...pick(core, ...SAFE_STATE),
    lastSettlement: lastSettlement
      ? { confirmedAt: lastSettlement.blockTimestamp, transactionHash: lastSettlement.transactionHash }
      : null,
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
