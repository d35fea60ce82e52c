/** The demo's settlement chain. It is loaded from its state file or built, and then extended while the demo runs. */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../src/values/failure.ts";
import { anvilBinary } from "./anvil.ts";
import type { DeploymentFile } from "./deploy.ts";
import type { Plan } from "../history/plan.ts";
import { buildChain } from "./build.ts";
import { ChainSettlement } from "./chain-settlement.ts";
import { Node } from "./node.ts";
import { resumeChain } from "./resume.ts";

const BLOCK_MS = 4_000;
const HOUR_S = 3_600;

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
      throw new Failure("demo_unreadable", `the demo's chain is missing in ${folder}`);
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
    this.#node.ended.then(() =>
      onFailure(new Failure("demo_ended", "the demo's chain process exited")),
    );
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
