/** The demo's settlement chain. It is built with the history's batches, and then extended while the demo runs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Address, Hex } from "viem";
import { Failure } from "../../src/values/failure.ts";
import { ROUND_MS } from "../../src/values/round.ts";
import { CONFIRMATIONS } from "../../src/values/settlement-limits.ts";
import { elementAt } from "../../src/values/unknown.ts";
import type { Plan } from "../history/plan.ts";
import { type Batch, type Settlement, simulatedSettlement } from "../history/settlement.ts";
import { DAY, HOUR, MINUTE } from "../history/story.ts";
import { Wheel } from "../history/wheel.ts";
import { anvilBinary, call } from "./anvil.ts";
import { deploy } from "./calls.ts";
import { type ChainBatches, ChainSettlement } from "./chain-settlement.ts";
import { deployContracts } from "./deploy.ts";
import { Node } from "./node.ts";
import {
  BASELINE_REWARD,
  type ContractUsers,
  rewardTransactions,
  settledOf,
  settlementOf,
  type Transaction,
  toCore,
  toMining,
  upgrade,
} from "./transactions.ts";

const BLOCK_MS = 4_000;
const HOUR_S = 3_600;
/** Empty blocks after the last batch, which make it safe. */
const TRAILING_BLOCKS = Number(CONFIRMATIONS);

export interface DemoChainOptions {
  readonly folder: string;
  readonly plan: Plan;
  /** Epoch ms. */
  readonly historyEnd: number;
  readonly now: () => number;
}

export class DemoChain {
  readonly rpcUrl: string;
  readonly settlement: ChainSettlement;
  readonly batches: number;
  readonly #node: Node;
  readonly #now: () => number;
  #step: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  private constructor(node: Node, settlement: ChainSettlement, batches: number, now: () => number) {
    this.#node = node;
    this.rpcUrl = node.url;
    this.settlement = settlement;
    this.batches = batches;
    this.#now = now;
  }

  /** Writes deployment.json and chain.json into the folder. Returns undefined if anvil cannot run on this machine. */
  static async make({ folder, plan, historyEnd, now }: DemoChainOptions): Promise<DemoChain | undefined> {
    const binary = anvilBinary();
    if (binary === undefined) return undefined;
    const node = await Node.start(binary, plan.genesisMs / 1000 - HOUR_S);
    try {
      const { cast, batches } = await buildChain(node, plan, historyEnd);
      writeFileSync(join(folder, "deployment.json"), `${JSON.stringify(cast.deployment, null, 2)}\n`);
      await node.save(join(folder, "chain.json"));
      return new DemoChain(node, new ChainSettlement(node, cast, batches, historyEnd), batches.settled.length, now);
    } catch (error) {
      await node.stop();
      throw error;
    }
  }

  /** Settles or mines every 4 s if needed. Calls `onFailure` if a step fails or the node exits. */
  follow(onFailure: (error: unknown) => void): void {
    this.#node.ended.then(() => onFailure(new Failure("demo_failed", "the demo's chain process exited")));
    this.#next(onFailure);
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#step;
    clearTimeout(this.#timer);
    await this.#node.stop();
  }

  #next(onFailure: (error: unknown) => void): void {
    this.#timer = setTimeout(() => {
      this.#step = this.settlement.step(this.#now()).then(() => this.#next(onFailure), onFailure);
    }, BLOCK_MS);
  }
}

/** `node` must be empty. `end` is the end of the history (epoch ms). */
export async function buildChain(
  node: Node,
  plan: Plan,
  end: number,
): Promise<{ cast: ContractUsers; batches: ChainBatches }> {
  await call(node.url, "evm_setAutomine", [true]);
  const { deployment, people } = await deployContracts(node.url, {
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
  return { cast, batches };
}

/** The timelock's delay for an upgrade, in seconds. */
const UPGRADE_DELAY = 86_400;
const MINED_AFTER_MS = 12_000;

/** A block to mine and its transactions. */
interface PlannedBlock {
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
function plannedBlocks(plan: Plan, cast: ContractUsers, end: number, nextImplementation: Address): PlannedBlock[] {
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
