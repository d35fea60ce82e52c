/** The demo's settlement chain. It is built with the history's batches, and then extended while the demo runs. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Hex } from "viem";
import { Failure } from "../../src/values/failure.ts";
import { CONFIRMATIONS } from "../../src/values/settlement-limits.ts";
import { elementAt } from "../../src/values/unknown.ts";
import type { Plan } from "../history/plan.ts";
import { anvilBinary, call } from "./anvil.ts";
import { deploy } from "./calls.ts";
import { type ChainBatches, ChainSettlement } from "./chain-settlement.ts";
import { deployContracts } from "./deploy.ts";
import { plannedBlocks, UPGRADE_DELAY } from "./history.ts";
import { Node } from "./node.ts";
import { BASELINE_REWARD, type ContractUsers, settledOf } from "./transactions.ts";

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
