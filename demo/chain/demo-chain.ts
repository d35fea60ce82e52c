/** The demo's settlement chain. It is loaded from its state file or built, and then extended while the demo runs. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decodeEventLog, encodeEventTopics, type Hex, numberToHex } from "viem";
import { Failure } from "../../src/values/failure.ts";
import { CONFIRMATIONS } from "../../src/values/settlement-limits.ts";
import { elementAt } from "../../src/values/unknown.ts";
import type { Plan } from "../history/plan.ts";
import { anvilBinary, call } from "./anvil.ts";
import { deploy } from "./calls.ts";
import { type ChainBatches, ChainSettlement } from "./chain-settlement.ts";
import { artifact } from "./compile.ts";
import { type DeploymentFile, deployWorld, readPeople } from "./deploy.ts";
import { plannedBlocks, settledOf, UPGRADE_DELAY } from "./history.ts";
import { Node } from "./node.ts";
import { BASELINE_REWARD } from "./rewards.ts";
import type { ContractUsers } from "./transactions.ts";

const BLOCK_MS = 4_000;
const HOUR_S = 3_600;
/** Empty blocks after the last batch, which make it safe. */
const TRAILING_BLOCKS = Number(CONFIRMATIONS);
/**
 * A restarted node knows the contract state only at its head. After this many new blocks it also knows the state at the
 * safe block.
 */
const NEW_BLOCKS = Number(CONFIRMATIONS);

export interface DemoChainOptions {
  readonly folder: string;
  readonly plan: Plan;
  /** Epoch ms. */
  readonly historyEnd: number;
  /** True if an earlier start ingested the whole history. Otherwise the same chain is built again. */
  readonly isFed: boolean;
  readonly now: () => number;
}

interface Parts {
  readonly node: Node;
  readonly deployment: string;
  readonly settlement: ChainSettlement;
  readonly batches: number;
  readonly now: () => number;
}

export class DemoChain {
  readonly deployment: string;
  readonly rpcUrl: string;
  readonly settlement: ChainSettlement;
  readonly blocks: number;
  readonly batches: number;
  readonly #node: Node;
  readonly #now: () => number;
  #step: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  private constructor({ node, deployment, settlement, batches, now }: Parts) {
    this.#node = node;
    this.rpcUrl = node.url;
    this.deployment = deployment;
    this.settlement = settlement;
    this.blocks = node.head.number;
    this.batches = batches;
    this.#now = now;
  }

  /** Returns undefined if anvil cannot run on this machine. */
  static async open({ folder, plan, historyEnd, isFed, now }: DemoChainOptions): Promise<DemoChain | undefined> {
    const binary = anvilBinary();
    if (binary === undefined) return undefined;
    const state = join(folder, "chain.json");
    const path = join(folder, "deployment.json");
    if (!isFed) rmSync(state, { force: true });
    else if (!existsSync(state) || !existsSync(path)) {
      throw new Failure("demo_failed", `the demo's chain is missing in ${folder}`);
    }
    const node = await Node.start(binary, state, plan.genesisMs / 1000 - HOUR_S);
    try {
      const { cast, batches } = isFed
        ? await resumeChain(node, JSON.parse(readFileSync(path, "utf8")) as DeploymentFile, now())
        : await buildChain(node, plan, historyEnd);
      if (!isFed) writeFileSync(path, `${JSON.stringify(cast.deployment, null, 2)}\n`);
      const settlement = new ChainSettlement(node, cast, batches, historyEnd);
      return new DemoChain({ node, deployment: path, settlement, batches: batches.settled.length, now });
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

/** `node` must have loaded its saved state. `now` is in epoch ms. */
export async function resumeChain(
  node: Node,
  deployment: DeploymentFile,
  now: number,
): Promise<{ cast: ContractUsers; batches: ChainBatches }> {
  const timestamp = Math.floor(now / 1000);
  for (let block = NEW_BLOCKS; block > 0; block--) await node.mine(timestamp - block);
  await node.save();
  return { cast: { deployment, people: await readPeople(node.url) }, batches: await readBatches(node.url, deployment) };
}

async function readBatches(url: string, { core, deploymentBlock }: DeploymentFile): Promise<ChainBatches> {
  const { abi } = artifact("Core");
  const topics = encodeEventTopics({ abi, eventName: "BatchSettled" });
  const filter = { address: core, topics, fromBlock: numberToHex(deploymentBlock), toBlock: "latest" };
  const logs = await call(url, "eth_getLogs", [filter]);
  const batches: ChainBatches = { settled: [], sent: new Map() };
  let height = 0;
  for (const { topics, data, transactionHash, blockNumber } of logs) {
    const event = decodeEventLog({ abi, topics: [...topics] as [Hex, ...Hex[]], data, strict: false });
    const { settledThroughRound, previousSettledThroughRound, blockHeight } = event.args as unknown as Record<
      string,
      bigint
    >;
    const [through, previous] = [Number(settledThroughRound), Number(previousSettledThroughRound)];
    batches.settled.push({ through, previous, completedBlocks: Number(blockHeight) - height });
    batches.sent.set(through, { transactionHash, block: Number(blockNumber) });
    height = Number(blockHeight);
  }
  return batches;
}
