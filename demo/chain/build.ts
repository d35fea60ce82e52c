/** Builds the demo's chain: deploys the contracts and mines thirty days of history with matching block timestamps. */
import type { Hex } from "viem";
import { call } from "./anvil.ts";
import { deployWorld } from "./deploy.ts";
import { deploy } from "./calls.ts";
import { CONFIRMATIONS } from "../../src/values/settlement-limits.ts";
import type { Plan } from "../history/plan.ts";
import type { ChainBatches } from "./chain-settlement.ts";
import { plannedBlocks, settledOf, UPGRADE_DELAY } from "./history.ts";
import type { Node } from "./node.ts";
import { BASELINE_REWARD } from "./rewards.ts";
import type { ContractUsers } from "./transactions.ts";
import { elementAt } from "../../src/values/unknown.ts";

/** Empty blocks after the last batch, which make it safe. */
const TRAILING_BLOCKS = Number(CONFIRMATIONS);

/** `node` must be empty. `end` is the end of the history (epoch ms). */
export async function buildChain(node: Node, plan: Plan, end: number): Promise<{ cast: ContractUsers; batches: ChainBatches }> {
  await call(node.url, "evm_setAutomine", [true]);
  const { deployment, people } = await deployWorld(node.url, {
    target: "demo",
    genesisTimestamp: plan.genesisMs / 1000,
    workPerBlock: BigInt(plan.workPerBlock),
    baselineRewardPerBlock: BASELINE_REWARD,
    timelockDelay: UPGRADE_DELAY,
  });
  const { address: nextImplementation } = await deploy(node.url, people.deployer, "CoreV2");
  await call(node.url, "evm_setAutomine", [false]);
  await node.readHead();
  const cast = { deployment, people };
  const batches: ChainBatches = { settled: [], sent: new Map() };
  const all: Hex[] = [];
  for (const { at, transactions, batch } of plannedBlocks(plan, cast, end, nextImplementation)) {
    const hashes = await node.mine(Math.floor(at / 1000), transactions);
    if (batch !== undefined) {
      batches.settled.push(settledOf(batch));
      batches.sent.set(batch.settledThroughRound, { transactionHash: elementAt(hashes, 0), block: node.head.number });
    }
    all.push(...hashes);
  }
  await node.requireSuccess(all);
  const last = node.head.timestamp;
  const step = Math.min(12, Math.floor((end / 1000 - last) / TRAILING_BLOCKS));
  for (let block = 1; block <= TRAILING_BLOCKS; block++) await node.mine(last + block * step);
  await node.save();
  return { cast, batches };
}
