/** Passes over the nodes in order, and what each of them says (design 3, Reading 2 and 4 to 6). */
import type { Database } from "better-sqlite3";
import type { ChainOptions } from "../chain-options.ts";
import type { FailedCheck } from "../checks/checks.ts";
import { LogFactsReader } from "../checks/log-facts.ts";
import { Standing } from "../checks/status.ts";
import { confirms, type Doubt } from "../checks/unconfirmed-fault.ts";
import { Nodes } from "../rpc/nodes.ts";
import { redactText, redactUrl } from "../rpc/redact.ts";
import { RpcError } from "../rpc/rpc-error.ts";
import { rpcNode } from "../rpc/rpc-node.ts";
import { type LogSources, logSources } from "./logs.ts";
import { runPass } from "./pass.ts";
import type { PassOutcome } from "./pass-context.ts";
import { ProblemLog } from "./problem-log.ts";
import { readSync } from "./store.ts";

export type PollerOptions = Required<Pick<ChainOptions, "onEvent" | "sleep" | "random" | "limits">> &
  Pick<ChainOptions, "deployment" | "rpcUrls" | "grace" | "now" | "genesisTimestamp">;

const ATTEMPTS = 4;

export class Poller {
  readonly standing: Standing;
  /** Whether the last poll came to a verdict. */
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

  constructor(db: Database, options: PollerOptions) {
    this.#db = db;
    this.#options = options;
    this.#sources = logSources(options.deployment);
    this.#nodes = new Nodes(options.rpcUrls.length);
    this.#problems = new ProblemLog(db, options.onEvent);
    this.standing = new Standing(db, options);
    this.#storedThrough = storedKey(db);
  }

  async poll(now: number, deadline: number): Promise<void> {
    this.settled = false;
    this.#problems.forget();
    this.#noticeOtherWriters();
    if (!(await this.#overNodes(deadline))) {
      // With nothing to lose by a hasty verdict, one node's second word is asked for at once.
      const { coreMismatch } = this.standing.verdict;
      const isHasty = this.#doubt !== undefined && coreMismatch === undefined;
      if (isHasty && this.standing.isSilent(now)) await this.#overNodes(deadline);
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
        settled: this.standing.isGood,
        doubt: this.#doubt,
        repairFrom: this.#doubt?.repairFrom ?? this.#fundingRepair,
        fundingBelieved: this.#fundingRepair !== undefined,
        sameNodeWillDo: this.#nodes.speaksAlone(index),
        now,
        onHead: ({ safe, multicall }) => {
          memory.multicall = multicall;
          progressed = true;
          this.standing.sawSafe(safe);
        },
        onRange: (range) => {
          this.#storedThrough = storedKey(this.#db);
          this.standing.progress();
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
      this.standing.fail();
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
        this.standing.fail();
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
          this.standing.fail();
          this.#problems.tell({ type: "doubt", node, ...doubt.failure });
        }
        return certain;
      }
      case "mismatch":
        this.#mismatch(node, outcome.failure);
        return true;
      case "not_yet_safe":
        this.standing.notYetSafe();
        this.settled = true;
        // A node that is still catching up itself looks the same.
        return last;
      case "unchanged":
        this.#doubt = undefined;
        this.settled = true;
        this.standing.goodPass(now());
        this.#problems.forget();
        onEvent({ type: "good", node, head: this.standing.verdict.snapshot?.core.chain.indexedThroughBlock ?? 0n });
        return true;
      case "read": {
        this.#doubt = undefined;
        const { economy, snapshot } = outcome;
        const failure = economy.kind === "mismatch" ? economy.failure : undefined;
        this.#fundingRepair = economy.kind === "mismatch" ? economy.repairFrom : undefined;
        this.settled = true;
        this.standing.goodPass(now(), { snapshot, economyMismatch: failure, synced: true });
        if (failure !== undefined) this.#problems.tell({ type: "mismatch", node, ...failure });
        else if (economy.kind === "invalid") this.#problems.tell({ type: "failed", node, message: economy.detail });
        else this.#problems.forget();
        onEvent({ type: "good", node, head: snapshot.core.chain.indexedThroughBlock });
        return true;
      }
    }
  }

  #mismatch(node: string, failure: FailedCheck): void {
    this.settled = true;
    this.standing.mismatch(failure);
    this.#problems.tell({ type: "mismatch", node, ...failure });
  }

  /** `chain rewind` or `chain sync` beside this process: what was in memory no longer fits the file. */
  #noticeOtherWriters(): void {
    const stored = storedKey(this.#db);
    if (stored === this.#storedThrough) return;
    this.#storedThrough = stored;
    this.#facts.reset();
    this.#doubt = undefined;
    this.#fundingRepair = undefined;
    this.standing.reread();
  }
}

function storedKey(db: Database): string {
  const { stored, history } = readSync(db);
  return `${history}:${stored?.block}:${stored?.hash}`;
}
