/** Chain states as a pass returns them, for tests of the responses built from them. */
import { getAddress } from "viem";
import type { ChainEvent, ChainState, CoreView, EconomyView } from "../../../src/chain/chain-state.ts";

export const AT = Date.parse("2026-11-20T10:00:00.000Z");
export const DEPLOYMENT_BLOCK = 100n;

/** A readable address or hash that ends in the number `n`. */
export const address = (n: number): string => getAddress(`0x${n.toString(16).padStart(40, "0")}`);
export const hash = (n: number): string => `0x${n.toString(16).padStart(64, "0")}`;

export const FACTORY = address(0xfa);
export const CORE = address(0xc0);
export const PROXY_ADMIN = address(0xad);
export const TIMELOCK = address(0x71);
export const MINING = address(0x31);
export const TOKEN = address(0x70);
export const COLLECTION = address(0xc1);

export function chainEvent(event: Partial<ChainEvent> & Pick<ChainEvent, "blockNumber" | "logIndex">): ChainEvent {
  return {
    contractKind: "core",
    contractAddress: CORE,
    eventName: "Paused",
    blockHash: hash(Number(event.blockNumber)),
    blockTimestamp: AT - 86_400_000 + Number(event.blockNumber) * 12_000,
    transactionHash: hash(Number(event.blockNumber) * 1000 + event.logIndex),
    transactionIndex: 0,
    arguments: [{ name: "account", value: address(7) }],
    ...event,
  };
}

export function coreView(overrides: Partial<CoreView> = {}): CoreView {
  const source = chainEvent({ blockNumber: 120n, logIndex: 3 });
  return {
    chain: {
      target: "anvil",
      chainId: 31337n,
      deploymentBlock: DEPLOYMENT_BLOCK,
      indexedThroughBlock: 511n,
      safeThroughBlock: 500n,
      safeBlockHash: hash(500),
      safeBlockTimestamp: AT - 86_400_000 + 500 * 12_000,
    },
    identities: {
      factory: FACTORY,
      core: CORE,
      proxyAdmin: PROXY_ADMIN,
      proxyAdminOwner: TIMELOCK,
      operatorTimelock: TIMELOCK,
      operatorProposer: address(0x99),
      proxyImplementation: address(0x1e),
      proxyAdminSlot: PROXY_ADMIN,
    },
    configuration: {
      streamId: hash(0x57),
      genesisTimestamp: 1_763_400_000n,
      roundDuration: 600n,
      maxWorkPerRound: 100_000n,
      maxRoundsPerBatch: 16n,
      workPerBlock: 1000n,
      guardian: address(0x6a),
      reporter: address(0x4e),
    },
    core: {
      settledThroughRound: 40n,
      cumulativeWork: 12_345n,
      blockHeight: 12n,
      currentWork: 345n,
      workPerBlock: 1000n,
      authorizationNonce: 3n,
      paused: false,
    },
    implementation: {
      codeAddress: address(0x1e),
      codeVersion: "1.0.0",
      storageLayoutDigest: hash(0x5d),
      runtimeHash: hash(0x47),
    },
    governance: { operationId: hash(0), operationKind: "None", operationState: "None" },
    source,
    events: [source],
    ...overrides,
  };
}

export function economyView(overrides: Partial<EconomyView> = {}): EconomyView {
  return {
    releaseId: "release-1",
    protocolRevision: "protocol-1",
    rewardModelRevision: "reward-1",
    deploymentBlock: 101n,
    mining: MINING,
    token: TOKEN,
    tokenFactory: address(0x7f),
    collection: COLLECTION,
    symbol: "NOON",
    miningImplementation: address(0x3e),
    miningImplementationVersion: "1.0.0",
    miningStorageLayoutDigest: hash(0x6d),
    mintedThroughRound: 0n,
    baselineRewardPerBlock: 5n * 10n ** 18n,
    rewardWeightActivationRound: 0n,
    ...overrides,
  };
}

export function chainState(core: Partial<CoreView> = {}, economy: Partial<EconomyView> = {}): ChainState {
  const view = coreView(core);
  return {
    core: { status: "available", view },
    economy: { status: "available", view: economyView(economy) },
    binding: {
      target: view.chain.target,
      chainId: view.chain.chainId,
      core: view.identities.core,
      deploymentBlock: view.chain.deploymentBlock,
      releaseId: "release-1",
    },
    safeCore: { ...view.core, lastSettlement: null },
    safeCoreBlock: { number: view.chain.safeThroughBlock, hash: view.chain.safeBlockHash },
    genesisTimestamp: view.configuration.genesisTimestamp,
    validUntil: AT + 600_000,
    isUndecided: false,
  };
}
