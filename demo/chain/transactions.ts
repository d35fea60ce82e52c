/** The transactions that settle the demo's batches, and those of its other users. The same batches give the same ones. */
import { type Address, concatHex, type Hex, keccak256, numberToHex } from "viem";
import type { Batch } from "../history/settlement.ts";
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
  readonly people: People;
}

/** A batch on the chain: rounds (previous, through]. */
export interface Settled {
  readonly previous: number;
  readonly through: number;
  readonly completedBlocks: number;
}

export const BASELINE_REWARD = 5n * 10n ** 18n;
const BATCHES_PER_CLAIM = 6;
const BATCHES_PER_MINT = 10;
/** Three minted units, and the unit that results from merging the first two. */
const UNITS_PER_GROUP = 4;
const NONE = numberToHex(0, { size: 32 });

export function settledOf(batch: Batch): Settled {
  return {
    previous: batch.previousSettledThroughRound,
    through: batch.settledThroughRound,
    completedBlocks: batch.expected.completedBlockCount,
  };
}

export function settlementOf(
  cast: ContractUsers,
  { settledThroughRound, activeRoundCount, workAdded }: Batch,
): Transaction {
  const digest = keccak256(concatHex([cast.deployment.streamId, numberToHex(settledThroughRound)]));
  const args = [digest, BigInt(settledThroughRound), BigInt(activeRoundCount), BigInt(workAdded)];
  return toCore(cast, "reporter", "settle", args);
}

/**
 * Returns the rewards to send with batch `index`: funded one batch later and released two batches later, with periodic
 * claims, mints and merges.
 */
export function rewardTransactions(cast: ContractUsers, batches: readonly Settled[], index: number): Transaction[] {
  const transactions: Transaction[] = [];
  const funded = batches[index - 1];
  if (funded !== undefined) {
    const rewards = rewardsOf(funded);
    const args = [BigInt(funded.through), [...rewards.keys()].map(BigInt), [...rewards.values()]];
    transactions.push(toMining(cast, "fund", args));
  }
  const released = batches[index - 2];
  if (released !== undefined) {
    for (const [round, amount] of rewardsOf(released))
      transactions.push(toMining(cast, "release", [BigInt(round), amount]));
    const half = (BASELINE_REWARD * BigInt(released.completedBlocks)) / 2n;
    if (index % BATCHES_PER_CLAIM === 0 && half > 0n) {
      const player = playerOf(cast, index / BATCHES_PER_CLAIM);
      transactions.push(toMining(cast, "claim", [player, BigInt(released.through), half]));
    }
  }
  if (index % BATCHES_PER_MINT === BATCHES_PER_MINT / 2)
    transactions.push(...units(cast, Math.floor(index / BATCHES_PER_MINT)));
  return transactions;
}

/** Distributes the rewards of the completed blocks evenly over the batch's rounds. */
function rewardsOf({ previous, through, completedBlocks }: Settled): Map<number, bigint> {
  const rewards = new Map<number, bigint>();
  for (let block = 1; block <= completedBlocks; block++) {
    const round = previous + Math.ceil((block * (through - previous)) / completedBlocks);
    rewards.set(round, (rewards.get(round) ?? 0n) + BASELINE_REWARD);
  }
  return rewards;
}

function units(cast: ContractUsers, mint: number): Transaction[] {
  const group = Math.floor(mint / 3);
  const player = playerOf(cast, group);
  const unit = toCollection(cast, "mintUnit", [player, 1 + (mint % 3)]);
  if (mint % 3 < 2) return [unit];
  const first = BigInt(UNITS_PER_GROUP * group + 1);
  return [unit, toCollection(cast, "mergeUnits", [player, [first, first + 1n], 4])];
}

function playerOf({ people }: ContractUsers, index: number): Address {
  return people.players[index % people.players.length] ?? people.deployer;
}

/** Schedules and executes an upgrade to CoreV2 through the timelock. `delay` is in seconds. */
export function upgrade(
  cast: ContractUsers,
  implementation: Address,
  delay: number,
): Record<"schedule" | "execute", Transaction> {
  const { core, proxyAdmin, operatorTimelock } = cast.deployment;
  const payload = callData("ProxyAdmin", "upgradeAndCall", [core, implementation, callData("CoreV2", "migrate", [])]);
  const operation = [proxyAdmin, 0n, payload, NONE, NONE];
  const toTimelock = (name: string, args: readonly unknown[]): Transaction => ({
    from: cast.people.proposer,
    to: operatorTimelock,
    data: callData("TimelockController", name, args),
  });
  return { schedule: toTimelock("schedule", [...operation, BigInt(delay)]), execute: toTimelock("execute", operation) };
}

export function toCore(
  cast: ContractUsers,
  from: "guardian" | "reporter",
  name: string,
  args: readonly unknown[] = [],
): Transaction {
  return { from: cast.people[from], to: cast.deployment.core, data: callData("Core", name, args) };
}

export function toMining(cast: ContractUsers, name: string, args: readonly unknown[]): Transaction {
  return { from: cast.people.deployer, to: economyOf(cast).mining, data: callData("Mining", name, args) };
}

function toCollection(cast: ContractUsers, name: string, args: readonly unknown[]): Transaction {
  return { from: cast.people.deployer, to: economyOf(cast).collection, data: callData("Collection", name, args) };
}

function economyOf({ deployment: { economy } }: ContractUsers) {
  if (economy === undefined) throw new Error("the demo's chain has no economy");
  return economy;
}
