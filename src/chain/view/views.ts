/** Builds the published views of one reading (docs/spec/api.md), and reads stored ones. */
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";
import { fromBigintJson } from "../../values/decimal.ts";
import type { ChainEvent, ChainPoint, ContractKind, CoreView, EconomyView, SafeCoreState } from "../chain-state.ts";
import type { Deployment, EconomyDeployment } from "../deployment.ts";
import { EVENT_SHAPES } from "../event-shape.ts";
import { ContradictingResponse } from "../rpc/node-responses.ts";
import { newestFirst, newestOf, timelockEvents } from "../store/read-events.ts";
import type { SyncRow } from "../store/sync-row.ts";
import { governance } from "./governance.ts";
import { type CoreStateRead, type EconomyStateRead, miningImplementation, type WholeReading } from "./reading.ts";

export interface Snapshot {
  readonly core: CoreView;
  readonly safeCore: SafeCoreState;
  /** Undefined without an economy, and if its checks fail. */
  readonly economy: EconomyView | undefined;
}

/** The four contracts of the onchain resource (docs/spec/chain.md#derived). */
const ONCHAIN_KINDS: readonly ContractKind[] = ["factory", "core", "proxy_admin", "timelock"];

/** Number of events in the onchain view (docs/spec/api.md#onchain). */
const EVENTS_LIMIT = 25;

/** Everything that was read at one safe block. */
export interface SafeState {
  readonly deployment: Deployment;
  readonly reading: WholeReading;
  readonly core: CoreStateRead;
  /** Undefined without an economy, and if its checks fail. */
  readonly economy: EconomyStateRead | undefined;
  readonly tip: bigint;
}

/** Returns a state's views, with events of `db` up to its safe block. Throws `ContradictingResponse` if incomplete. */
export function snapshotOf(db: ReadOnlyDatabase, state: SafeState): Snapshot {
  const { deployment, reading, core, economy } = state;
  return {
    core: coreView(db, state),
    safeCore: safeCoreState(core, newestOf(db, "core", "BatchSettled", 1)[0]),
    economy: economy && deployment.economy && economyView(deployment.economy, reading, economy),
  };
}

/** Returns the newest events of some kinds, newest first, with one short lookup for each event name. */
function newestEvents(db: ReadOnlyDatabase, kinds: readonly ContractKind[], limit: number): ChainEvent[] {
  const found: ChainEvent[] = [];
  for (const kind of kinds) {
    for (const { name } of EVENT_SHAPES[kind].values()) found.push(...newestOf(db, kind, name, limit));
  }
  return found.sort(newestFirst).slice(0, limit);
}

function coreView(db: ReadOnlyDatabase, { deployment, reading, core, tip }: SafeState): CoreView {
  const source = newestEvents(db, ["core"], 1)[0];
  if (source === undefined) throw new ContradictingResponse("the Core has emitted no event");
  const { implementation, proxyAdminSlot, runtimeHash } = reading;
  return {
    chain: chainPoint(deployment, reading, tip),
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
    governance: governance(timelockEvents(db), deployment.proxyAdmin, implementation),
    source,
    events: newestEvents(db, ONCHAIN_KINDS, EVENTS_LIMIT),
  };
}

const SAFE_STATE = ["settledThroughRound", "cumulativeWork", "blockHeight", "currentWork", "workPerBlock"] as const;

/** Returns the named fields of an object. */
function pick<Whole, Name extends keyof Whole>(whole: Whole, ...names: readonly Name[]): Pick<Whole, Name> {
  return Object.fromEntries(names.map((name) => [name, whole[name]])) as Pick<Whole, Name>;
}

function economyView(deployment: EconomyDeployment, reading: WholeReading, economy: EconomyStateRead): EconomyView {
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

function safeCoreState(core: CoreStateRead, lastSettlement: ChainEvent | undefined): SafeCoreState {
  return {
    ...pick(core, ...SAFE_STATE),
    lastSettlement: lastSettlement
      ? { confirmedAt: lastSettlement.blockTimestamp, transactionHash: lastSettlement.transactionHash }
      : null,
  };
}

/** Returns undefined before the first good pass, and after the chain contradicted it. */
export function storedSnapshot({ snapshot }: SyncRow): Snapshot | undefined {
  return snapshot === null ? undefined : (fromBigintJson(snapshot) as Snapshot);
}

function chainPoint(deployment: Deployment, { block }: WholeReading, tip: bigint): ChainPoint {
  return {
    target: deployment.target,
    chainId: BigInt(deployment.chainId),
    deploymentBlock: BigInt(deployment.deploymentBlock),
    indexedThroughBlock: tip,
    safeThroughBlock: block.number,
    safeBlockHash: block.hash,
    safeBlockTimestamp: block.timestamp,
  };
}
