/**
 * The rewards of settled batches: funded one batch later and released two batches later, with periodic claims, mints
 * and merges.
 */
import type { Address } from "viem";
import { type ContractUsers, claim, fund, mergeUnits, mintUnit, release, type Transaction } from "./transactions.ts";

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

/** The reward transactions to send with batch `index`. Deterministic for the same batches. */
export function rewardTransactions(cast: ContractUsers, batches: readonly Settled[], index: number): Transaction[] {
  const transactions: Transaction[] = [];
  const funded = batches[index - 1];
  if (funded !== undefined) transactions.push(fund(cast, funded.through, rewardsOf(funded)));
  const released = batches[index - 2];
  if (released !== undefined) {
    const rewards = rewardsOf(released);
    for (const [round, amount] of rewards) transactions.push(release(cast, round, amount));
    const half = (BASELINE_REWARD * BigInt(released.completedBlocks)) / 2n;
    if (index % BATCHES_PER_CLAIM === 0 && half > 0n) {
      transactions.push(claim(cast, playerOf(cast, index / BATCHES_PER_CLAIM), released.through, half));
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
  const unit = mintUnit(cast, player, 1 + (mint % 3));
  if (mint % 3 < 2) return [unit];
  const first = UNITS_PER_GROUP * group + 1;
  return [unit, mergeUnits(cast, player, [first, first + 1], 4)];
}

function playerOf({ people }: ContractUsers, index: number): Address {
  return people.players[index % people.players.length] ?? people.deployer;
}
