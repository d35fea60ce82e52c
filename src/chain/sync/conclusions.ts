/** What each pass of a poll says, and what it changes: the status, the open faults, what the operator is told. */
import type { FailedCheck } from "../check-name.ts";
import type { UnconfirmedFault } from "../checks/unconfirmed-fault.ts";
import type { PollEvent, ProblemEvent } from "../poll-event.ts";
import type { ProblemLog } from "../status/problem-log.ts";
import type { Status } from "../status/status.ts";
import type { SuspectMemory } from "./blooms.ts";
import type { OpenFaults } from "./open-faults.ts";
import type { BrokenPass } from "./pass-runner.ts";
import type { PassOutcome } from "./pass-types.ts";

export interface ConclusionsOptions {
  readonly status: Status;
  readonly faults: OpenFaults;
  readonly suspects: SuspectMemory;
  readonly problems: ProblemLog;
  /** What nodes say otherwise than others, so far. */
  readonly disagreements: () => readonly ProblemEvent[];
  /** What one node alone says is not believed. */
  readonly isQuorum: boolean;
  readonly onEvent: (event: PollEvent) => void;
  /** Epoch ms. */
  readonly now: () => number;
}

/** The node that a pass has asked. */
export interface AskedNode {
  /** Its address without secrets. */
  readonly label: string;
  /** No other node answers, so that a second pass of this one confirms its first. */
  readonly answersAlone: boolean;
  /** Whether no node is left to ask in this turn. */
  readonly isLast: boolean;
}

export class Conclusions {
  readonly #options: ConclusionsOptions;
  #reached = false;

  constructor(options: ConclusionsOptions) {
    this.#options = options;
  }

  /** Whether the poll has come to a verdict. */
  get reached(): boolean {
    return this.#reached;
  }

  begin(): void {
    this.#reached = false;
    this.#options.problems.forget();
  }

  end(): void {
    const { problems, now } = this.#options;
    // A good pass does not make them agree.
    for (const disagreement of this.#options.disagreements()) problems.tell(disagreement);
    if (this.#reached || problems.any) problems.write(now());
  }

  /** Whether the poll is over. */
  conclude(outcome: PassOutcome | BrokenPass, node: AskedNode): boolean {
    const { status } = this.#options;
    switch (outcome.kind) {
      case "broken":
        if (outcome.isOutOfTime) status.ranOutOfTime();
        else status.fail();
        if (outcome.message !== undefined) this.#tell(node, outcome.message);
        return false;
      case "lagging":
        this.#failed(node, `its head is ${outcome.head}, behind what is stored`);
        return false;
      case "fault":
        return this.#fault(outcome.fault, node);
      case "no_quorum":
        this.#failed(node, outcome.message);
        return false;
      case "logs_left_out":
        this.#failed(node, outcome.message);
        return false;
      case "incomplete":
        status.fail(outcome.economyMismatch);
        this.#tell(node, outcome.message);
        return false;
      case "mismatch":
        this.#mismatch(node, outcome.failure);
        return true;
      case "other_chain":
        if (this.#options.isQuorum && !node.isLast) {
          this.#failed(node, outcome.failure.detail);
          return false;
        }
        this.#mismatch(node, outcome.failure, outcome.safe);
        return true;
      case "not_yet_safe":
        status.notYetSafe();
        this.#reached = true;
        // A node that is still catching up itself looks the same.
        return node.isLast;
      case "unchanged":
        this.#good(node, status.verdict.snapshot?.core.chain.indexedThroughBlock ?? 0n);
        return true;
      case "read":
        this.#read(outcome, node);
        return true;
    }
  }

  #fault(fault: UnconfirmedFault, node: AskedNode): boolean {
    const { status, faults, problems } = this.#options;
    if (faults.confirm(fault, node.answersAlone)) {
      this.#mismatch(node, fault.failure);
      return true;
    }
    status.fail();
    problems.tell({ type: "unconfirmed_fault", node: node.label, ...fault.failure });
    return false;
  }

  #read({ economy, snapshot }: PassOutcome & { kind: "read" }, node: AskedNode): void {
    const { status, faults, problems, now, onEvent } = this.#options;
    const failure = economy.kind === "mismatch" ? economy.failure : undefined;
    faults.goodPass(economy);
    this.#options.suspects.clear();
    this.#reached = true;
    status.goodPass(now(), { snapshot, economyMismatch: failure, synced: true });
    if (failure !== undefined) problems.tell({ type: "mismatch", node: node.label, ...failure });
    else if (economy.kind === "invalid") problems.tell({ type: "failed", node: node.label, message: economy.detail });
    else problems.forget();
    onEvent({ type: "good", node: node.label, head: snapshot.core.chain.indexedThroughBlock });
  }

  /** A pass that found nothing new. */
  #good(node: AskedNode, head: bigint): void {
    const { status, faults, problems, now, onEvent } = this.#options;
    faults.goodPass();
    this.#options.suspects.clear();
    this.#reached = true;
    status.goodPass(now());
    problems.forget();
    onEvent({ type: "good", node: node.label, head });
  }

  #failed(node: AskedNode, message: string): void {
    this.#options.status.fail();
    this.#tell(node, message);
  }

  #tell(node: AskedNode, message: string): void {
    this.#options.problems.tell({ type: "failed", node: node.label, message });
  }

  #mismatch(node: AskedNode, failure: FailedCheck, otherSafe?: bigint): void {
    const { status, problems } = this.#options;
    this.#reached = true;
    status.mismatch(failure, otherSafe);
    problems.tell({ type: "mismatch", node: node.label, ...failure });
  }
}
