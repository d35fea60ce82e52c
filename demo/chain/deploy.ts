/**
 * Deploys all contracts of docs/spec/chain.md#abi: factory, Core behind its proxy, timelock and economy. Provides their
 * deployment file.
 */

import { type Address, getAddress, type Hex, keccak256, stringToHex } from "viem";
import { ROUND_SECONDS } from "../../src/values/round.ts";
import { call } from "./anvil.ts";
import { callData, deploy, type Receipt, send } from "./calls.ts";

export interface WorldOptions {
  readonly target?: string;
  /** Seconds. Must be a multiple of ROUND_SECONDS to pass the deployment checks. */
  readonly genesisTimestamp?: number;
  readonly roundDuration?: number;
  readonly workPerBlock?: bigint;
  readonly baselineRewardPerBlock?: bigint;
  readonly symbol?: string;
  /** True (default): Mining is behind a TransparentUpgradeableProxy. False: it is deployed directly. */
  readonly miningBehindProxy?: boolean;
  /** False: deploys no economy, and the deployment file has none. */
  readonly economy?: boolean;
  /** The timelock's minimum delay for an upgrade, in seconds. */
  readonly timelockDelay?: number;
}

/** The content of deployment.json (docs/spec/chain.md#deployment). */
export interface DeploymentFile {
  readonly target: string;
  readonly chainId: number;
  readonly deploymentBlock: number;
  readonly factory: Address;
  readonly core: Address;
  readonly proxyAdmin: Address;
  readonly operatorTimelock: Address;
  readonly operatorProposer: Address;
  readonly streamId: Hex;
  readonly economy?: {
    readonly releaseId: string;
    readonly protocolRevision: string;
    readonly rewardModelRevision: string;
    readonly deploymentBlock: number;
    readonly mining: Address;
    readonly token: Address;
    readonly tokenFactory: Address;
    readonly collection: Address;
  };
}

/** The deployed contracts and their accounts. */
export interface Deployed {
  readonly deployment: DeploymentFile;
  readonly implementation: Address;
  readonly people: People;
  /** Deploys another Core from the same factory. */
  deployCore(streamId: Hex): Promise<Receipt>;
}

export interface People {
  readonly deployer: Address;
  readonly guardian: Address;
  readonly reporter: Address;
  readonly proposer: Address;
  readonly players: readonly Address[];
}

export const STREAM_ID = keccak256(stringToHex("noonmark.test.stream"));

/** Returns the node's unlocked accounts by their part. */
async function readPeople(url: string): Promise<People> {
  const accounts = await call(url, "eth_accounts");
  const [deployer, guardian, reporter, proposer, ...players] = accounts.map((account) => getAddress(account));
  if (deployer === undefined || guardian === undefined || reporter === undefined || proposer === undefined) {
    throw new Error("the node has too few accounts");
  }
  return { deployer, guardian, reporter, proposer, players };
}

/** Deploys everything from the node's unlocked accounts. Resolves when all transactions are mined. */
export async function deployContracts(url: string, options: WorldOptions = {}): Promise<Deployed> {
  const people = await readPeople(url);
  const { deployer, guardian, reporter, proposer } = people;
  const factory = await deploy(url, deployer, "Factory");
  const open: Address = "0x0000000000000000000000000000000000000000";
  const timelockArguments = [options.timelockDelay ?? 60, [proposer], [open], open];
  const timelock = await deploy(url, deployer, "TimelockController", timelockArguments);
  const implementation = await deploy(url, deployer, "Core");
  const deployCore = (streamId: Hex) => {
    const configuration = {
      streamId,
      genesisTimestamp: BigInt(options.genesisTimestamp ?? 1_766_000_400),
      roundDuration: BigInt(options.roundDuration ?? ROUND_SECONDS),
      maxWorkPerRound: 1_000_000n,
      maxRoundsPerBatch: 16n,
      workPerBlock: options.workPerBlock ?? 1_000n,
      guardian,
      reporter,
    };
    const initialization = callData("Core", "initialize", [configuration]);
    const data = callData("Factory", "deployCore", [
      implementation.address,
      timelock.address,
      initialization,
      streamId,
    ]);
    return send(url, deployer, factory.address, data);
  };
  const deployed = await deployCore(STREAM_ID);
  // CoreDeployed is the last log of its transaction; its first two arguments are indexed.
  const [, core, proxyAdmin] = (deployed.logs.at(-1)?.topics ?? []).map((topic): Address => `0x${topic.slice(26)}`);
  if (core === undefined || proxyAdmin === undefined) throw new Error("the factory emitted no CoreDeployed");
  const economy = options.economy === false ? undefined : await deployEconomy(url, people, getAddress(core), options);
  const deployment: DeploymentFile = {
    target: options.target ?? "anvil",
    chainId: Number(await call(url, "eth_chainId")),
    deploymentBlock: deployed.blockNumber,
    factory: factory.address,
    core: getAddress(core),
    proxyAdmin: getAddress(proxyAdmin),
    operatorTimelock: timelock.address,
    operatorProposer: proposer,
    streamId: STREAM_ID,
    ...(economy === undefined ? {} : { economy }),
  };
  return { deployment, implementation: implementation.address, people, deployCore };
}

async function deployEconomy(url: string, people: People, core: Address, options: WorldOptions) {
  const { deployer } = people;
  const tokenFactory = await deploy(url, deployer, "TokenFactory");
  const collection = await deploy(url, deployer, "Collection");
  const implementation = await deploy(url, deployer, "Mining");
  const baseline = options.baselineRewardPerBlock ?? 5n * 10n ** 18n;
  const initialize = callData("Mining", "initialize", [core, collection.address, baseline]);
  const isBehindProxy = options.miningBehindProxy ?? true;
  const mining = isBehindProxy
    ? await deploy(url, deployer, "TransparentUpgradeableProxy", [implementation.address, deployer, initialize])
    : implementation;
  if (!isBehindProxy) await send(url, deployer, mining.address, initialize);
  const creation = callData("TokenFactory", "create", ["Noonmark Work", options.symbol ?? "NOON", mining.address]);
  const created = await send(url, deployer, tokenFactory.address, creation);
  const token = getAddress(`0x${created.logs.at(-1)?.data.slice(26) ?? ""}`);
  await send(url, deployer, mining.address, callData("Mining", "setToken", [token]));
  return {
    releaseId: "release-1",
    protocolRevision: "protocol-1",
    rewardModelRevision: "reward-model-1",
    deploymentBlock: tokenFactory.blockNumber,
    mining: mining.address,
    token,
    tokenFactory: tokenFactory.address,
    collection: collection.address,
  };
}
