/** Runs one pass over one node: the retry policy towards it, and what is remembered of it. */
import type { ChainOptions } from "../chain-options.ts";
import type { PollEvent } from "../poll-event.ts";
import { type NodeMemory, Nodes } from "../rpc/nodes.ts";
import { redactUrl } from "../rpc/redact.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import { type RpcNode, rpcNode } from "../rpc/rpc-node.ts";
import { readSkippedUntil, writeSkippedUntil } from "../store/sync-row.ts";
import { runPass } from "./pass.ts";
import type { BrokenPass, EarlierFindings, PassChain, PassListener, PassOutcome } from "./pass-types.ts";
import { NoQuorum, Quorum } from "./quorum.ts";

export type RunnerOptions = Required<Pick<ChainOptions, "onEvent" | "sleep" | "random" | "limits">> &
  Pick<ChainOptions, "rpcUrls" | "onRequest"> & { readonly rpcQuorum: number };

/** By a node's place in the list: which other node said something else, and of what. */
export type Disagreements = Map<number, string>;

export interface RunnerListener {
  readonly disagreements: Disagreements;
  /** A node has shown a safe block. */
  onHead(safe: bigint): void;
  /** A range was stored. */
  onStored(): void;
}

const ATTEMPTS = 4;

export class PassRunner {
  readonly nodes: Nodes;
  readonly #chain: PassChain;
  readonly #options: RunnerOptions;
  readonly #listener: RunnerListener;

  constructor(chain: PassChain, options: RunnerOptions, listener: RunnerListener) {
    this.nodes = new Nodes(options.rpcUrls.length);
    for (const [index, address] of options.rpcUrls.entries()) {
      this.nodes.memory(index).skippedUntil = readSkippedUntil(chain.db, address) ?? -Infinity;
    }
    this.#chain = chain;
    this.#options = options;
    this.#listener = listener;
  }

  /** Does not throw; `deadline` in epoch ms. */
  async run(index: number, deadline: number, earlier: EarlierFindings): Promise<PassOutcome | BrokenPass> {
    const memory = this.nodes.memory(index);
    const rpc = this.#node(index, deadline);
    const seen = { head: false };
    const { size, multicall } = memory;
    const node = { rpc, index, size, multicall, respondsAlone: this.respondsAlone(index) };
    try {
      const listener = this.#listenerOf(memory, rpc.label, seen);
      const quorum = this.#quorum(index, deadline);
      const outcome = await runPass({ chain: this.#chain, node, quorum, earlier, listener });
      memory.hasResponded = outcome.kind !== "lagging";
      if (outcome.kind === "read")
        for (const one of [index, ...quorum.agreeing]) this.#listener.disagreements.delete(one);
      return outcome;
    } catch (error) {
      if (error instanceof NoQuorum) {
        this.#chain.facts.reset();
        return { kind: "no_quorum", message: error.message };
      }
      const now = this.#chain.now();
      memory.hasResponded = false;
      this.#chain.facts.reset();
      const isOutOfTime = now >= deadline || (error instanceof RpcError && error.outOfTime);
      const text = this.#failed(index, error);
      const message = isOutOfTime && seen.head ? undefined : text;
      return { kind: "broken", message, isOutOfTime };
    }
  }

  /** Remembers what a node has cost. Returns the message for the operator. */
  #failed(index: number, error: unknown): string {
    if (error instanceof RpcError && error.silent) this.nodes.memory(index).silentAt = this.#chain.now();
    return error instanceof RpcError && error.harmful ? this.#skip(index, error) : messageOf(error);
  }

  /** Returns the message for the operator. The skip survives a restart, because the response may have ended the process. */
  #skip(index: number, { message }: RpcError): string {
    const until = this.nodes.skip(index, this.#chain.now());
    writeSkippedUntil(this.#chain.db, this.#options.rpcUrls[index] as string, until);
    return `${message}; the node is not asked until ${new Date(until).toISOString()}`;
  }

  /** No other node responds, so that a second pass of this one confirms its first. A quorum is never one node. */
  respondsAlone(index: number): boolean {
    return this.#options.rpcQuorum === 1 && this.nodes.respondsAlone(index);
  }

  #quorum(index: number, deadline: number): Quorum {
    const { rpcQuorum } = this.#options;
    const label = redactUrl(this.#options.rpcUrls[index] as string);
    const order = rpcQuorum === 1 ? [] : this.nodes.order(this.#chain.now()).filter((other) => other !== index);
    return new Quorum({
      needed: rpcQuorum - 1,
      witnesses: order.map((other) => ({
        index: other,
        rpc: this.#node(other, deadline),
        size: this.nodes.memory(other).size,
      })),
      sources: this.#chain.sources,
      deployment: this.#chain.deployment,
      onFailure: (other, error) => this.#failed(other, error),
      onDisagreement: (other, detail) =>
        this.#listener.disagreements.set(other, `${label} says otherwise of ${detail}`),
    });
  }

  #node(index: number, deadline: number): RpcNode {
    const { rpcUrls, sleep, random, limits, onRequest } = this.#options;
    const isAlone = rpcUrls.length === 1;
    const attempts = isAlone ? ATTEMPTS : ATTEMPTS / 2;
    const retry = { attempts, deadline, now: this.#chain.now, sleep, random, repeatSilent: isAlone };
    return rpcNode(rpcUrls[index] as string, retry, limits, onRequest);
  }

  #listenerOf(memory: NodeMemory, label: string, seen: { head: boolean }): PassListener {
    const report = (event: PollEvent) => this.#options.onEvent(event);
    return {
      onHead: ({ safe, multicall }) => {
        memory.multicall = multicall;
        seen.head = true;
        this.#listener.onHead(safe);
      },
      onRange: (range) => {
        this.#listener.onStored();
        report({ type: "range", node: label, ...range });
      },
    };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
