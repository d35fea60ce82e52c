/** Passes over the nodes in order, and what they add up to (design 3, Reading 2, 4 to 6 and 8). */
import type { Database } from "better-sqlite3";
import type { ChainOptions } from "./chain-options.ts";
import type { FailedCheck } from "./checks.ts";
import { confirms, type Doubt } from "./doubt.ts";
import { LogFactsReader } from "./log-facts.ts";
import { type LogSources, logSources } from "./logs.ts";
import { Nodes } from "./nodes.ts";
import { runPass } from "./pass.ts";
import type { PassOutcome } from "./pass-context.ts";
import { ProblemLog } from "./problem-log.ts";
import { redactText, redactUrl } from "./rpc/redact.ts";
import { RpcError } from "./rpc/rpc-error.ts";
import { rpcNode } from "./rpc/rpc-node.ts";
import { dropSnapshot, readSync, touch } from "./store.ts";
import type { Verdict } from "./verdict.ts";
import { readSnapshot, type Snapshot } from "./views.ts";

export type PollerOptions = Required<Pick<ChainOptions, "onEvent" | "sleep" | "random" | "limits">> &
  Pick<ChainOptions, "deployment" | "rpcUrls" | "grace" | "now" | "genesisTimestamp">;

const ATTEMPTS = 4;
/** A good pass that found nothing new is written down this seldom (ms). */
const TOUCH_INTERVAL = 5_000;

export class Poller {
  verdict: Verdict;
  moved = 0;
  settled = false;
  readonly #db: Database;
  readonly #options: PollerOptions;
  readonly #sources: LogSources;
  readonly #facts = new LogFactsReader();
  readonly #nodes: Nodes;
  readonly #problems: ProblemLog;
  #doubt: Doubt | undefined;
  #fundingRepair: bigint | undefined;
  #storedThrough: string | undefined;
  #touchedAt = 0;

  constructor(db: Database, options: PollerOptions) {
    this.#db = db;
    this.#options = options;
    this.#sources = logSources(options.deployment);
    this.#nodes = new Nodes(options.rpcUrls.length);
    this.#problems = new ProblemLog(db, options.onEvent);
    const sync = readSync(db);
    this.verdict = {
      snapshot: sync.snapshot === null ? undefined : readSnapshot(sync.snapshot),
      safe: sync.indexedThroughBlock === undefined ? undefined : sync.stored?.block,
      lastGoodPassAt: sync.snapshot === null ? undefined : sync.lastGoodPassAt,
      synced: sync.indexedThroughBlock !== undefined,
      failed: false,
      coreMismatch: undefined,
      economyMismatch: undefined,
    };
    this.#storedThrough = storedKey(db);
  }

  async poll(now: number, deadline: number): Promise<void> {
    this.settled = false;
    this.#problems.forget();
    this.#noticeOtherWriters();
    if (!(await this.#overNodes(deadline))) {
      // With nothing to lose by a hasty verdict, one node's second word is asked for at once.
      const { lastGoodPassAt, coreMismatch } = this.verdict;
      const silent = lastGoodPassAt === undefined || now - lastGoodPassAt >= this.#options.grace;
      if (silent && this.#doubt !== undefined && coreMismatch === undefined) await this.#overNodes(deadline);
    }
    if (this.settled || this.#problems.any) this.#problems.write(this.#options.now());
  }

  /** True where one node's pass came to a verdict. */
  async #overNodes(deadline: number): Promise<boolean> {
    const order = this.#nodes.order(this.#options.now());
    for (const index of order) {
      if (this.#options.now() >= deadline) return false;
      const outcome = await this.#pass(index, deadline);
      if (outcome !== undefined && this.#conclude(outcome, index, index === order.at(-1))) return true;
    }
    return false;
  }

  async #pass(index: number, deadline: number): Promise<PassOutcome | undefined> {
    const { rpcUrls, deployment, now, sleep, random, limits, genesisTimestamp, onEvent } = this.#options;
    const memory = this.#nodes.memory(index);
    const alone = rpcUrls.length === 1;
    const attempts = alone ? ATTEMPTS : ATTEMPTS / 2;
    const retry = { attempts, deadline, now, sleep, random, repeatSilent: alone };
    const node = rpcNode(rpcUrls[index] as string, retry, limits);
    let progressed = false;
    try {
      const outcome = await runPass({
        db: this.#db,
        deployment,
        sources: this.#sources,
        facts: this.#facts,
        node,
        nodeIndex: index,
        size: memory.size,
        multicall: memory.multicall,
        genesisTimestamp,
        settled: this.#good(),
        doubt: this.#doubt,
        repairFrom: this.#doubt?.repairFrom ?? this.#fundingRepair,
        fundingBelieved: this.#fundingRepair !== undefined,
        sameNodeWillDo: this.#nodes.speaksAlone(index),
        now,
        onHead: ({ safe, multicall }) => {
          memory.multicall = multicall;
          progressed = true;
          if (this.verdict.safe === undefined || safe > this.verdict.safe) this.verdict = { ...this.verdict, safe };
        },
        onRange: (range) => {
          this.#storedThrough = storedKey(this.#db);
          if (this.verdict.failed) this.#change({ failed: false });
          onEvent({ type: "range", node: node.label, ...range });
        },
      });
      memory.spoke = outcome.kind !== "lagging";
      return outcome;
    } catch (error) {
      memory.spoke = false;
      if (error instanceof RpcError && error.silent) memory.silentAt = now();
      this.#facts.reset();
      // A pass that only ran out of time has not failed.
      if (progressed && now() >= deadline) return undefined;
      this.#fail();
      const message = redactText(error instanceof Error ? error.message : String(error), rpcUrls);
      this.#problems.tell({ type: "failed", node: node.label, message });
      return undefined;
    }
  }

  /** Whether the poll is over. */
  #conclude(outcome: PassOutcome, index: number, last: boolean): boolean {
    const { onEvent, now, rpcUrls } = this.#options;
    const node = redactUrl(rpcUrls[index] as string);
    switch (outcome.kind) {
      case "lagging":
        this.#fail();
        this.#problems.tell({
          type: "failed",
          node,
          message: `its head is ${outcome.head}, behind what is stored`,
        });
        return false;
      case "doubt": {
        const { doubt } = outcome;
        const certain = confirms(this.#doubt, doubt, this.#nodes.speaksAlone(index));
        this.#doubt = doubt;
        if (certain) this.#mismatch(node, doubt.failure);
        else {
          this.#fail();
          this.#problems.tell({ type: "doubt", node, ...doubt.failure });
        }
        return certain;
      }
      case "mismatch":
        this.#mismatch(node, outcome.failure);
        return true;
      case "not_yet_safe":
        if (this.verdict.failed || this.verdict.coreMismatch !== undefined) {
          this.#change({ failed: false, coreMismatch: undefined });
        }
        this.settled = true;
        // A node that is still catching up itself looks the same.
        return last;
      case "unchanged":
        this.#doubt = undefined;
        this.#goodPass(now(), {});
        this.#problems.forget();
        onEvent({ type: "good", node, head: this.verdict.snapshot?.core.chain.indexedThroughBlock ?? 0n });
        return true;
      case "read": {
        this.#doubt = undefined;
        const { economy, snapshot } = outcome;
        const failure = economy.kind === "mismatch" ? economy.failure : undefined;
        this.#fundingRepair = economy.kind === "mismatch" ? economy.repairFrom : undefined;
        this.#goodPass(now(), { snapshot, economyMismatch: failure, synced: true });
        if (failure !== undefined) this.#problems.tell({ type: "mismatch", node, ...failure });
        else if (economy.kind === "invalid") this.#problems.tell({ type: "failed", node, message: economy.detail });
        else this.#problems.forget();
        onEvent({ type: "good", node, head: snapshot.core.chain.indexedThroughBlock });
        return true;
      }
    }
  }

  #goodPass(at: number, found: { snapshot?: Snapshot; economyMismatch?: FailedCheck | undefined; synced?: boolean }) {
    this.settled = true;
    const wasSilent =
      this.verdict.lastGoodPassAt === undefined || at - this.verdict.lastGoodPassAt >= this.#options.grace;
    this.verdict = { ...this.verdict, lastGoodPassAt: at };
    if (found.snapshot !== undefined) this.#touchedAt = at;
    if (at - this.#touchedAt >= TOUCH_INTERVAL) {
      this.#touchedAt = at;
      touch(this.#db, at);
    }
    if (found.snapshot !== undefined || this.verdict.failed || wasSilent) {
      this.#change({ ...found, failed: false, coreMismatch: undefined });
    }
  }

  #mismatch(node: string, failure: FailedCheck): void {
    this.settled = true;
    dropSnapshot(this.#db);
    this.#problems.tell({ type: "mismatch", node, ...failure });
    this.#change({ coreMismatch: failure, snapshot: undefined, lastGoodPassAt: undefined, failed: true });
  }

  #fail(): void {
    if (!this.verdict.failed) this.#change({ failed: true });
  }

  /** Whether everything that is published stands on a good pass, so that an unmoved safe block needs no reading. */
  #good(): boolean {
    const { snapshot, coreMismatch, economyMismatch } = this.verdict;
    const { economy } = this.#options.deployment;
    const whole = economy === undefined || snapshot?.economy !== undefined || this.#economyNotSafe();
    return snapshot !== undefined && coreMismatch === undefined && economyMismatch === undefined && whole;
  }

  #economyNotSafe(): boolean {
    const { economy } = this.#options.deployment;
    return economy !== undefined && (this.verdict.safe ?? 0n) < BigInt(economy.deploymentBlock);
  }

  #change(news: Partial<Verdict>): void {
    this.verdict = { ...this.verdict, ...news };
    this.moved++;
  }

  /** `chain rewind` or `chain sync` beside this process: what was in memory no longer fits the file. */
  #noticeOtherWriters(): void {
    const stored = storedKey(this.#db);
    if (stored === this.#storedThrough) return;
    this.#storedThrough = stored;
    this.#facts.reset();
    this.#doubt = undefined;
    this.#fundingRepair = undefined;
    const { snapshot } = readSync(this.#db);
    this.#change({ snapshot: snapshot === null ? undefined : readSnapshot(snapshot) });
  }
}

function storedKey(db: Database): string {
  const { stored, history } = readSync(db);
  return `${history}:${stored?.block}:${stored?.hash}`;
}
