/** The on-chain events of the demo's thirty days: all confirmed batches, and transactions of other users. */
import type { Address } from "viem";
import { ROUND_MS } from "../../src/values/round.ts";
import type { Plan } from "../history/plan.ts";
import { type Batch, type Settlement, simulatedSettlement } from "../history/settlement.ts";
import { DAY, HOUR, MINUTE } from "../history/story.ts";
import { Wheel } from "../history/wheel.ts";
import {
  type ContractUsers,
  rewardTransactions,
  settledOf,
  settlementOf,
  type Transaction,
  toCore,
  toMining,
  upgrade,
} from "./transactions.ts";

/** The timelock's delay for an upgrade, in seconds. */
export const UPGRADE_DELAY = 86_400;
const MINED_AFTER_MS = 12_000;

/** A block to mine and its transactions. */
export interface PlannedBlock {
  /** Epoch ms. */
  readonly at: number;
  readonly transactions: readonly Transaction[];
  /** The batch that the first transaction settles, if any. */
  readonly batch?: Batch;
}

/** Runs the wheel's history to find its confirmed batches up to `end` (epoch ms), in order. */
export function confirmedBatches(plan: Plan, end: number): Batch[] {
  const simulated = simulatedSettlement(plan.seed);
  const batches: Batch[] = [];
  const settlement: Settlement = {
    submitted: simulated.submitted,
    confirmedAt(batch, at) {
      const confirmedAt = simulated.confirmedAt(batch, at);
      if (confirmedAt !== undefined) batches.push(batch);
      return confirmedAt;
    },
  };
  for (const _ of new Wheel(plan, { settlement }).history(end));
  return batches;
}

/**
 * All blocks up to `end` (epoch ms), in time order. `nextImplementation` is the implementation that the Core is
 * upgraded to.
 */
export function plannedBlocks(
  plan: Plan,
  cast: ContractUsers,
  end: number,
  nextImplementation: Address,
): PlannedBlock[] {
  const { dawn, story } = plan;
  const batches = confirmedBatches(plan, end);
  const settled = batches.map(settledOf);
  const { schedule, execute } = upgrade(cast, nextImplementation, UPGRADE_DELAY);
  const activation = Math.floor((dawn + 17 * DAY - plan.genesisMs) / ROUND_MS);
  const blocks: PlannedBlock[] = batches.map((batch, index) => ({
    at: batch.preparedAt + MINED_AFTER_MS,
    transactions: [settlementOf(cast, batch), ...rewardTransactions(cast, settled, index)],
    batch,
  }));
  blocks.push(
    { at: dawn + 13 * DAY + 6 * HOUR, transactions: [schedule] },
    { at: dawn + 14 * DAY + 7 * HOUR, transactions: [execute] },
    {
      at: dawn + 16 * DAY + 3 * HOUR,
      transactions: [toMining(cast, "scheduleRewardWeights", [BigInt(activation), 12_500n])],
    },
    // No batch is prepared during an incident, and the one before it has been mined.
    { at: story.incident.from + 5 * MINUTE, transactions: [toCore(cast, "guardian", "pause")] },
    { at: story.incident.to - 5 * MINUTE, transactions: [toCore(cast, "guardian", "unpause")] },
  );
  return blocks.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
}
