/** Passes over the nodes in order, until one of them comes to a verdict (docs/spec/chain.md#reading). */
import type { Database } from "better-sqlite3";
import type { ChainOptions } from "../chain-options.ts";
import type { ProblemEvent } from "../poll-event.ts";
import { redactUrl } from "../rpc/redact.ts";
import { ProblemLog } from "../status/problem-log.ts";
import { Status } from "../status/status.ts";
import { OtherWriters } from "../store/other-writers.ts";
import { readSync } from "../store/sync-row.ts";
import { LogFactsReader } from "../view/log-facts.ts";
import { SuspectMemory } from "./blooms.ts";
import { Conclusions } from "./conclusions.ts";
import { logSources } from "./logs.ts";
import { OpenFaults } from "./open-faults.ts";
import { type Disagreements, PassRunner, type RunnerOptions } from "./pass-runner.ts";
import type { EarlierFindings, PassChain } from "./pass-types.ts";

export type PollerOptions = RunnerOptions & Pick<ChainOptions, "deployment" | "grace" | "now" | "genesisTimestamp">;

export class Poller {
  readonly status: Status;
  readonly #options: PollerOptions;
  readonly #chain: PassChain;
  readonly #writers: OtherWriters;
  readonly #faults = new OpenFaults();
  readonly #suspects = new SuspectMemory();
  readonly #runner: PassRunner;
  readonly #conclusions: Conclusions;
  readonly #disagreements: Disagreements = new Map();

  constructor(db: Database, options: PollerOptions) {
    const { deployment, genesisTimestamp, now } = options;
    this.#options = options;
    this.status = new Status(db, options);
    this.#chain = {
      db,
      deployment,
      sources: logSources(deployment),
      facts: new LogFactsReader(),
      genesisTimestamp,
      now,
    };
    this.#writers = new OtherWriters(db);
    this.#restoreDisagreements(db);
    const told = { status: this.status, writers: this.#writers, disagreements: this.#disagreements };
    this.#runner = new PassRunner(this.#chain, options, told);
    this.#conclusions = new Conclusions({
      status: this.status,
      faults: this.#faults,
      suspects: this.#suspects,
      problems: new ProblemLog(db, options),
      disagreements: () => this.#disagreeing(),
      isQuorum: options.rpcQuorum > 1,
      onEvent: options.onEvent,
      now,
    });
  }

  /** Whether the last poll came to a verdict. */
  get concluded(): boolean {
    return this.#conclusions.reached;
  }

  /** `now` and `deadline` in epoch ms. */
  async poll(now: number, deadline: number): Promise<void> {
    this.status.begin(now, deadline);
    this.#conclusions.begin();
    if (this.#writers.haveWritten()) this.#forget();
    if (!(await this.#overNodes(deadline))) {
      // With nothing to lose by a hasty verdict, a second pass over the same nodes follows at once.
      const isOpen = this.#faults.fault !== undefined || this.#suspects.through !== undefined;
      const mayConfirm = isOpen && this.status.verdict.coreMismatch === undefined;
      if (mayConfirm && this.status.isSilent(now)) await this.#overNodes(deadline);
    }
    this.#conclusions.end();
    this.status.end(this.#options.now());
  }

  /** True where one node's pass came to a verdict. */
  async #overNodes(deadline: number): Promise<boolean> {
    const { now } = this.#options;
    const order = this.#runner.nodes.order(now());
    for (const index of order) {
      if (now() >= deadline) return false;
      const outcome = await this.#runner.run(index, deadline, this.#earlier());
      const node = {
        label: this.#labelOf(index),
        answersAlone: this.#runner.answersAlone(index),
        isLast: index === order.at(-1),
      };
      if (this.#conclusions.conclude(outcome, node)) return true;
    }
    return false;
  }

  #labelOf(index: number): string {
    return redactUrl(this.#options.rpcUrls[index] as string);
  }

  /** Those that the file remembers: nobody is asked again as long as nothing new is read. */
  #restoreDisagreements(db: Database): void {
    const event = readSync(db).problem?.event;
    if (event?.type !== "disagreement" || this.#options.rpcQuorum === 1) return;
    const index = this.#options.rpcUrls.findIndex((_, at) => this.#labelOf(at) === event.node);
    if (index !== -1) this.#disagreements.set(index, event.detail);
  }

  /** What nodes say of each other, for the operator. */
  #disagreeing(): ProblemEvent[] {
    return [...this.#disagreements].map(([index, detail]) => ({
      type: "disagreement",
      node: this.#labelOf(index),
      detail,
    }));
  }

  #earlier(): EarlierFindings {
    const { fault, repairFrom, isFundingConfirmed } = this.#faults;
    return { isGood: this.status.isGood, fault, repairFrom, isFundingConfirmed, suspects: this.#suspects };
  }

  /** What was in memory no longer fits the file. */
  #forget(): void {
    this.#chain.facts.reset();
    this.#faults.forget();
    this.#suspects.clear();
    this.status.reread();
  }
}
