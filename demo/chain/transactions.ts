/** The transactions of the demo's users. */
import { type Address, concatHex, type Hex, keccak256, numberToHex } from "viem";
import { callData } from "./calls.ts";
import type { DeploymentFile, People } from "./deploy.ts";

export interface Transaction {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
}

/** The contracts and their users. */
export interface ContractUsers {
  readonly deployment: DeploymentFile;
  readonly people: Pick<People, "deployer" | "guardian" | "reporter" | "proposer" | "players">;
}

const NONE = numberToHex(0, { size: 32 });

/** `through` is the last round of the batch; `work` is the work of its rounds. */
export function settle(
  cast: ContractUsers,
  batch: { through: number; activeRounds: number; work: number },
): Transaction {
  const { core, streamId } = cast.deployment;
  const digest = keccak256(concatHex([streamId, numberToHex(batch.through)]));
  const args = [digest, BigInt(batch.through), BigInt(batch.activeRounds), BigInt(batch.work)];
  return { from: cast.people.reporter, to: core, data: callData("Core", "settle", args) };
}

export function pause({ deployment, people }: ContractUsers): Transaction {
  return { from: people.guardian, to: deployment.core, data: callData("Core", "pause", []) };
}

export function unpause({ deployment, people }: ContractUsers): Transaction {
  return { from: people.guardian, to: deployment.core, data: callData("Core", "unpause", []) };
}

/** Schedules and executes an upgrade to CoreV2 through the timelock. `delay` is in seconds. */
export function upgrade(
  cast: ContractUsers,
  implementation: Address,
  delay: number,
): { schedule: Transaction; execute: Transaction } {
  const { core, proxyAdmin, operatorTimelock } = cast.deployment;
  const migration = callData("CoreV2", "migrate", []);
  const payload = callData("ProxyAdmin", "upgradeAndCall", [core, implementation, migration]);
  const operation = [proxyAdmin, 0n, payload, NONE, NONE];
  const toTimelock = (name: string, args: readonly unknown[]): Transaction => ({
    from: cast.people.proposer,
    to: operatorTimelock,
    data: callData("TimelockController", name, args),
  });
  return {
    schedule: toTimelock("schedule", [...operation, BigInt(delay)]),
    execute: toTimelock("execute", operation),
  };
}

/** Funds `rounds` (round to amount) and moves the mint cursor to `through`. */
export function fund(cast: ContractUsers, through: number, rounds: ReadonlyMap<number, bigint>): Transaction {
  return toMining(cast, "fund", [BigInt(through), [...rounds.keys()].map(BigInt), [...rounds.values()]]);
}

export function release(cast: ContractUsers, round: number, amount: bigint): Transaction {
  return toMining(cast, "release", [BigInt(round), amount]);
}

export function claim(cast: ContractUsers, player: Address, through: number, amount: bigint): Transaction {
  return toMining(cast, "claim", [player, BigInt(through), amount]);
}

export function scheduleRewardWeights(
  cast: ContractUsers,
  activationRound: number,
  multiplierBps: number,
): Transaction {
  return toMining(cast, "scheduleRewardWeights", [BigInt(activationRound), BigInt(multiplierBps)]);
}

export function mintUnit(cast: ContractUsers, player: Address, unitType: number): Transaction {
  return toCollection(cast, "mintUnit", [player, unitType]);
}

export function mergeUnits(
  cast: ContractUsers,
  player: Address,
  units: readonly number[],
  unitType: number,
): Transaction {
  return toCollection(cast, "mergeUnits", [player, units.map(BigInt), unitType]);
}

function toMining(cast: ContractUsers, name: string, args: readonly unknown[]): Transaction {
  return { from: cast.people.deployer, to: economyOf(cast).mining, data: callData("Mining", name, args) };
}

function toCollection(cast: ContractUsers, name: string, args: readonly unknown[]): Transaction {
  return { from: cast.people.deployer, to: economyOf(cast).collection, data: callData("Collection", name, args) };
}

function economyOf({ deployment: { economy } }: ContractUsers) {
  if (economy === undefined) throw new Error("the demo's chain has no economy");
  return economy;
}
