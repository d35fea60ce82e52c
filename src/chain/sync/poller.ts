/**
 * Runs passes over the nodes in order until one reaches a result (docs/spec/chain.md#reading). `step` combines their
 * outcomes. The poller reports the result to the operator and stores it.
 */
import type { Database } from "better-sqlite3";
import { elementAt, errorMessage } from "../../values/unknown.ts";
import type { Deployment } from "../deployment.ts";
import type { PollEvent, ProblemEvent } from "../poll-event.ts";
import { Nodes } from "../rpc/nodes.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import { type RpcLimits, type RpcNode, type RpcOutcome, rpcNode } from "../rpc/rpc-node.ts";
import { redactUrl, Secrets } from "../rpc/secrets.ts";
import { dropSnapshot, readSync, touch, writeProblem } from "../store/sync-row.ts";
import { storedSnapshot } from "../view/views.ts";
import { SuspectMemory } from "./blooms.ts";
import { watchedContracts } from "./events.ts";
import * as health from "./health.ts";
import { runPass } from "./pass.ts";
import type { BrokenPass, EarlierFindings, PassChain, PassListener, PassOutcome } from "./pass-types.ts";
import { NoQuorum, Quorum } from "./quorum.ts";
import { TipWatch } from "./stalled-tip.ts";

/** How the chain is opened. */
export interface ChainOptions {
  readonly deployment: Deployment;
  /** Addresses in order of preference; at least one. */
  readonly rpcUrls: readonly string[];
  /** Number of nodes that must agree on stored data, at most the number of addresses; 1 by default. */
  readonly rpcQuorum?: number | undefined;
  /** The chain's own SQLite file. */
  readonly statePath: string;
  /** Milliseconds without a good pass before the views are unavailable. */
  readonly grace: number;
  /** Milliseconds for which the views are valid after the last good pass. */
  readonly validity: number;
  /** Epoch ms. */
  readonly now: () => number;
  /** No pass reads a higher safe block than this one, which never falls; no limit if absent. */
  readonly through?: (() => bigint) | undefined;
  /** The configured genesis in seconds; a Core with another value is a mismatch. */
  readonly genesisTimestamp?: bigint | undefined;
  /** Receives events for the operator's messages, progress and status. They must not be published. */
  readonly onEvent?: (event: PollEvent) => void;
  /** Called after each HTTP request to a node. */
  readonly onRequest?: ((outcome: RpcOutcome) => void) | undefined;
  readonly sleep?: (ms: number) => Promise<void>;
  readonly random?: () => number;
  readonly limits?: RpcLimits;
}

type Filled = "onEvent" | "sleep" | "random" | "limits";
/** The options with their defaults. */
export type PollerOptions = ChainOptions & Required<Pick<ChainOptions, Filled>> & { readonly rpcQuorum: number };

/** Minimum time between writes for good passes that found nothing new (ms). */
const TOUCH_INTERVAL_MS = 5_000;
/** Attempts of each request if there is one node; half as many if there are several. */
const ATTEMPTS = 4;

export class Poller {
  readonly #options: PollerOptions;
  readonly #chain: PassChain;
  readonly #suspects = new SuspectMemory();
  readonly #nodes: Nodes;
  /** The end of the running poll (epoch ms). No request to a node is longer. */
  #deadline = 0;
  readonly #tips: TipWatch;
  readonly #secrets: Secrets;
  /** By a node's index: which other node disagrees with it, and on what. */
  readonly #disagreements = new Map<number, string>();
  #health: health.ChainHealth;
  #touchedAt = 0;
  /** JSON of the problem last written. */
  #writtenProblem: string | undefined;

  constructor(db: Database, options: PollerOptions) {
    const { deployment, genesisTimestamp, now, rpcUrls, through } = options;
    this.#options = options;
    this.#chain = {
      db,
      deployment,
      watched: watchedContracts(deployment),
      genesisTimestamp,
      now,
      through,
    };
    this.#health = this.#storedHealth();
    this.#secrets = new Secrets(rpcUrls);
    const problem = readSync(db).problem?.event;
    this.#writtenProblem = problem === undefined ? undefined : JSON.stringify(problem);
    this.#restoreDisagreement(problem);
    this.#tips = new TipWatch({
      chainId: BigInt(deployment.chainId),
      needed: options.rpcQuorum - 1,
      validity: options.validity,
      now,
      others: (index) => this.#others(index).map((other) => ({ index: other, rpc: this.#node(other) })),
      onFailure: (index, error) => this.#recordFailure(index, error),
    });
    this.#nodes = new Nodes(rpcUrls.length);
  }

  get health(): health.ChainHealth {
    return this.#health;
  }

  /** `now` and `deadline` in epoch ms. */
  async poll(now: number, deadline: number): Promise<void> {
    this.#deadline = deadline;
    this.#health = health.pollBegun(this.#health, now, deadline);
    await this.#overNodes();
    if (!this.#health.isOver) {
      // Start the confirming pass at once if the views are unavailable anyway.
      const isOpen = this.#health.fault !== undefined || this.#suspects.through !== undefined;
      const mayConfirm = isOpen && this.#health.results.coreMismatch === undefined;
      if (mayConfirm && health.isSilent(this.#health, now)) await this.#overNodes();
    }
    this.#writeProblem(this.#reportNodes() ?? this.#health.problem);
    this.#health = health.pollEnded(this.#health, this.#options.now());
  }

  async #overNodes(): Promise<void> {
    const { now } = this.#options;
    const order = this.#nodes.order(now());
    for (const index of order) {
      if (now() >= this.#deadline) return;
      const outcome = await this.#pass(index);
      const passed = {
        outcome,
        node: this.#labelOf(index),
        isOnlyResponding: this.#isOnlyResponding(index),
        isLast: index === order.at(-1),
      };
      this.#health = health.step(this.#health, passed, now());
      this.#keep(outcome.kind);
      for (const event of this.#health.events)
        this.#options.onEvent(event.kind === "good" ? event : this.#cleaned(event));
      if (this.#health.isOver) return;
    }
  }

  /** Runs one pass over one node, and returns the node's errors as outcomes. */
  async #pass(index: number): Promise<PassOutcome | BrokenPass> {
    const memory = this.#nodes.memory(index);
    const rpc = this.#node(index);
    const { size, multicall } = memory;
    const node = { rpc, index, size, multicall, isOnlyResponding: this.#isOnlyResponding(index) };
    let hasTip = false;
    const listener: PassListener = {
      onTip: (tip) => {
        memory.multicall = tip.multicall;
        hasTip = true;
        this.#health = health.withSafeBlock(this.#health, tip.safe);
      },
      onRange: (range) => {
        this.#health = health.withStoredRange(this.#health);
        this.#options.onEvent({ kind: "range", node: rpc.label, ...range });
      },
    };
    const quorum = this.#quorum(index);
    try {
      const tips = this.#tips;
      const outcome = await runPass({ chain: this.#chain, node, quorum, tips, earlier: this.#earlier(), listener });
      if (outcome.kind === "lagging") tips.lags(index, outcome.block);
      else if (outcome.kind !== "stalled") tips.moved(index);
      memory.hasResponded = outcome.kind !== "lagging" && outcome.kind !== "stalled";
      if (outcome.kind === "read") for (const one of [index, ...quorum.agreeing]) this.#disagreements.delete(one);
      return outcome;
    } catch (error) {
      if (error instanceof NoQuorum) return { kind: "no_quorum", message: error.message };
      memory.hasResponded = false;
      const isOutOfTime =
        this.#chain.now() >= this.#deadline || (error instanceof RpcError && error.facts.outOfTime === true);
      const text = this.#recordFailure(index, error);
      return { kind: "broken", message: isOutOfTime && hasTip ? undefined : text, isOutOfTime };
    }
  }

  /** Returns the operator's message for a failure. After a harmful response the node is skipped for a while. */
  #recordFailure(index: number, error: unknown): string {
    const message = errorMessage(error);
    if (!(error instanceof RpcError)) return message;
    const now = this.#chain.now();
    if (error.facts.silent) this.#nodes.memory(index).silentAt = now;
    if (!error.facts.harmful) return message;
    const until = this.#nodes.skip(index, now);
    return `${message}; the node is not asked until ${new Date(until).toISOString()}`;
  }

  /** Returns true if a second pass over this node may confirm its first: no other responds, and there is no quorum. */
  #isOnlyResponding(index: number): boolean {
    return this.#options.rpcQuorum === 1 && this.#nodes.isOnlyResponding(index);
  }

  #quorum(index: number): Quorum {
    const { rpcQuorum } = this.#options;
    const { watched, deployment } = this.#chain;
    const others = rpcQuorum === 1 ? [] : this.#others(index);
    return new Quorum({
      needed: rpcQuorum - 1,
      witnesses: others.map((other) => {
        return { index: other, rpc: this.#node(other), size: this.#nodes.memory(other).size };
      }),
      watched,
      deployment,
      onFailure: (other, error) => this.#recordFailure(other, error),
      onDisagreement: (other, detail) =>
        this.#disagreements.set(other, `${this.#labelOf(index)} disagrees on ${detail}`),
    });
  }

  #others(index: number): readonly number[] {
    return this.#nodes.order(this.#chain.now()).filter((other) => other !== index);
  }

  #node(index: number): RpcNode {
    const { rpcUrls, now, sleep, random, limits, onRequest } = this.#options;
    const isAlone = rpcUrls.length === 1;
    const attempts = isAlone ? ATTEMPTS : ATTEMPTS / 2;
    const retry = { attempts, deadline: this.#deadline, now, sleep, random, repeatSilent: isAlone };
    return rpcNode(elementAt(rpcUrls, index), retry, limits, onRequest);
  }

  /** Stores the part of the last step that a restart needs. */
  #keep(kind: string): void {
    const { db } = this.#chain;
    const { lastGoodPassAt, coreMismatch } = this.#health.results;
    if (coreMismatch !== undefined && this.#health.isOver) dropSnapshot(db);
    if (kind !== "read" && kind !== "unchanged") return;
    this.#suspects.clear();
    const at = lastGoodPassAt ?? 0;
    if (kind === "unchanged" && at - this.#touchedAt < TOUCH_INTERVAL_MS) return;
    // A pass of kind "read" has already stored its instant.
    if (kind === "unchanged") touch(db, at);
    this.#touchedAt = at;
  }

  /** Stores the problem at the end of a poll. A poll without a result or problem leaves the stored one. */
  #writeProblem(problem: ProblemEvent | undefined): void {
    if (!this.#health.concluded && problem === undefined) return;
    const found = problem && this.#cleaned(problem);
    const text = found && JSON.stringify(found);
    if (text === this.#writtenProblem) return;
    this.#writtenProblem = text;
    writeProblem(this.#chain.db, found, this.#options.now());
  }

  /** Reports the nodes that disagree or are stalled, which no good pass of another node resolves; returns the last. */
  #reportNodes(): ProblemEvent | undefined {
    const found = (kind: "disagreement" | "stalled", nodes: ReadonlyMap<number, string>) =>
      [...nodes].map(([index, detail]): ProblemEvent => ({ kind, node: this.#labelOf(index), detail }));
    const events = [...found("stalled", this.#tips.named()), ...found("disagreement", this.#disagreements)];
    for (const event of events) this.#options.onEvent(this.#cleaned(event));
    return events.at(-1);
  }

  /** Restores a disagreement from the file, because nodes are not asked again while the safe block is unchanged. */
  #restoreDisagreement(problem: ProblemEvent | undefined): void {
    if (problem?.kind !== "disagreement" || this.#options.rpcQuorum === 1) return;
    const index = this.#options.rpcUrls.findIndex((_, at) => this.#labelOf(at) === problem.node);
    if (index !== -1) this.#disagreements.set(index, problem.detail);
  }

  /** Shortens the event's text, which may come from a node, and removes keys before anybody reads it. */
  #cleaned(event: ProblemEvent): ProblemEvent {
    return event.kind === "failed"
      ? { ...event, message: this.#secrets.clean(event.message) }
      : { ...event, detail: this.#secrets.clean(event.detail) };
  }

  #labelOf(index: number): string {
    return redactUrl(elementAt(this.#options.rpcUrls, index));
  }

  #earlier(): EarlierFindings {
    const { fault, fundingRepair } = this.#health;
    return {
      isGood: health.isGood(this.#health),
      fault,
      repairFrom: health.repairFrom(this.#health),
      isFundingConfirmed: fundingRepair !== undefined,
      suspects: this.#suspects,
    };
  }

  #storedHealth(): health.ChainHealth {
    const { grace, now, deployment, rpcQuorum } = this.#options;
    const sync = readSync(this.#chain.db);
    const { indexedThroughBlock, stored, lastGoodPassAt } = sync;
    const snapshot = storedSnapshot(sync);
    // An instant in the future, from a wrong clock, does not show how long the nodes have been silent.
    const isKnown = snapshot !== undefined && (lastGoodPassAt ?? 0) <= now() + grace;
    const results = {
      snapshot,
      safe: indexedThroughBlock === undefined ? undefined : stored?.block,
      lastGoodPassAt: isKnown ? lastGoodPassAt : undefined,
      synced: indexedThroughBlock !== undefined,
      failed: false,
      coreMismatch: undefined,
      economyMismatch: undefined,
    };
    return health.healthOf(results, { deployment, grace, isQuorum: rpcQuorum > 1 });
  }
}
