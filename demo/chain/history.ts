/** The events on the chain in the demo's thirty days: every confirmed batch, and other people's transactions. */
import type { Address } from "viem";
import { ROUND_MS } from "../../src/values/round.ts";
import type { Plan } from "../history/plan.ts";
import { type Batch, type Settlement, simulatedSettlement } from "../history/settlement.ts";
import { DAY, HOUR, MINUTE } from "../history/story.ts";
import { Wheel } from "../history/wheel.ts";
import { rewardsWith, type Settled } from "./rewards.ts";
import { type Cast, pause, scheduleRewardWeights, settle, type Transaction, unpause, upgrade } from "./transactions.ts";

/** Seconds that the timelock makes an upgrade wait. */
export const UPGRADE_DELAY = 86_400;
const MINED_AFTER = 12_000;

/** The transactions of one block. */
export interface Moment {
  /** Epoch ms. */
  readonly at: number;
  readonly transactions: readonly Transaction[];
  /** The batch that the first transaction settles. */
  readonly batch?: Batch;
}

/** The confirmed batches of a history up to `end` (epoch ms), in order, from a run of the wheel beforehand. */
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

/** In the order of time, up to `end` (epoch ms); `nextImplementation` is the Core's next implementation. */
export function momentsOf(plan: Plan, cast: Cast, end: number, nextImplementation: Address): Moment[] {
  const { dawn, story } = plan;
  const batches = confirmedBatches(plan, end);
  const settled = batches.map(settledOf);
  const { schedule, execute } = upgrade(cast, nextImplementation, UPGRADE_DELAY);
  const activation = Math.floor((dawn + 17 * DAY - plan.genesisMs) / ROUND_MS);
  const moments: Moment[] = batches.map((batch, index) => ({
    at: batch.preparedAt + MINED_AFTER,
    transactions: [settlementOf(cast, batch), ...rewardsWith(cast, settled, index)],
    batch,
  }));
  moments.push(
    { at: dawn + 13 * DAY + 6 * HOUR, transactions: [schedule] },
    { at: dawn + 14 * DAY + 7 * HOUR, transactions: [execute] },
    { at: dawn + 16 * DAY + 3 * HOUR, transactions: [scheduleRewardWeights(cast, activation, 12_500)] },
    // In an incident no batch is prepared; the last one before it has been mined.
    { at: story.incident.from + 5 * MINUTE, transactions: [pause(cast)] },
    { at: story.incident.to - 5 * MINUTE, transactions: [unpause(cast)] },
  );
  return moments.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
}

export function settlementOf(cast: Cast, batch: Batch): Transaction {
  const { settledThroughRound, activeRoundCount, workAdded } = batch;
  return settle(cast, { through: settledThroughRound, activeRounds: activeRoundCount, work: workAdded });
}

export function settledOf(batch: Batch): Settled {
  return {
    previous: batch.previousSettledThroughRound,
    through: batch.settledThroughRound,
    completedBlocks: batch.expected.completedBlockCount,
  };
}
