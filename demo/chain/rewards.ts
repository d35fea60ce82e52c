/** The rewards of settled batches: funding one batch later, release another later, claims, units and their merges. */
import type { Address } from "viem";
import { type Cast, claim, fund, mergeUnits, mintUnit, release, type Transaction } from "./transactions.ts";

/** A batch on the chain: rounds (previous, through]. */
export interface Settled {
  readonly previous: number;
  readonly through: number;
  readonly completedBlocks: number;
}

export const BASELINE_REWARD = 5n * 10n ** 18n;
const CLAIM_EVERY = 6;
const UNIT_EVERY = 10;
/** Two units, a third, and the first two merged into one. */
const UNITS_OF_A_GROUP = 4;

/** The transactions of batch number `index` of all batches so far; the same for the same batches. */
export function rewardsWith(cast: Cast, batches: readonly Settled[], index: number): Transaction[] {
  const transactions: Transaction[] = [];
  const funded = batches[index - 1];
  if (funded !== undefined) transactions.push(fund(cast, funded.through, rewardsOf(funded)));
  const released = batches[index - 2];
  if (released !== undefined) {
    const rewards = rewardsOf(released);
    for (const [round, amount] of rewards) transactions.push(release(cast, round, amount));
    const half = (BASELINE_REWARD * BigInt(released.completedBlocks)) / 2n;
    if (index % CLAIM_EVERY === 0 && half > 0n) {
      transactions.push(claim(cast, playerOf(cast, index / CLAIM_EVERY), released.through, half));
    }
  }
  if (index % UNIT_EVERY === UNIT_EVERY / 2) transactions.push(...units(cast, Math.floor(index / UNIT_EVERY)));
  return transactions;
}

/** Each completed block's reward goes to one of the batch's rounds, evenly. */
function rewardsOf({ previous, through, completedBlocks }: Settled): Map<number, bigint> {
  const rewards = new Map<number, bigint>();
  for (let block = 1; block <= completedBlocks; block++) {
    const round = previous + Math.ceil((block * (through - previous)) / completedBlocks);
    rewards.set(round, (rewards.get(round) ?? 0n) + BASELINE_REWARD);
  }
  return rewards;
}

function units(cast: Cast, mint: number): Transaction[] {
  const group = Math.floor(mint / 3);
  const player = playerOf(cast, group);
  const unit = mintUnit(cast, player, 1 + (mint % 3));
  if (mint % 3 < 2) return [unit];
  const first = UNITS_OF_A_GROUP * group + 1;
  return [unit, mergeUnits(cast, player, [first, first + 1], 4)];
}

function playerOf({ people }: Cast, turn: number): Address {
  return people.players[turn % people.players.length] ?? people.deployer;
}
