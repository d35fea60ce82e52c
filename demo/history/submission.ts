/** One submission and its lifecycle. Two submissions of the story fail: one is reverted, one is superseded. */
import { type DemoRecord, isoOf, type Plan } from "./plan.ts";
import { hashOf } from "./random.ts";
import type { Batch, Settlement } from "./settlement.ts";

/** Its final lifecycle. */
export type Outcome = "confirmed" | "reverted" | "superseded";
type Lifecycle = "preparing" | "submitted" | "retrying" | Outcome;

interface SubmissionState {
  readonly lifecycle: Lifecycle;
  readonly transactionHash: string | null;
  readonly submittedAt: number | null;
}

const SEND_DELAY_MS = 2_000;
const FAIL_DELAY_MS = 90_000;

export class Submission {
  readonly batch: Batch;
  readonly #plan: Plan;
  readonly #outcome: Outcome;
  #state: SubmissionState = { lifecycle: "preparing", transactionHash: null, submittedAt: null };
  #terminalAt: number | null = null;
  #confirmedAt: number | null = null;

  constructor(plan: Plan, batch: Batch, outcome: Outcome) {
    this.#plan = plan;
    this.#outcome = outcome;
    this.batch = batch;
  }

  get isOver(): boolean {
    return this.#terminalAt !== null;
  }

  get isConfirmed(): boolean {
    return this.#state.lifecycle === "confirmed";
  }

  *tick(settlement: Settlement, at: number): Generator<DemoRecord> {
    if (this.#outcome === "reverted") yield* this.#fail("submitted", "reverted", at);
    else if (this.#outcome === "superseded") yield* this.#fail("retrying", "superseded", at);
    else yield* this.#succeed(settlement, at);
  }

  record(): DemoRecord {
    const { batch } = this;
    const { lifecycle, transactionHash, submittedAt } = this.#state;
    return {
      type: "submission",
      installationId: this.#plan.installationId,
      submissionId: batch.submissionId,
      lifecycle,
      previousSettledThroughRound: String(batch.previousSettledThroughRound),
      settledThroughRound: String(batch.settledThroughRound),
      activeRoundCount: batch.activeRoundCount,
      expected: {
        cumulativeWork: String(batch.expected.cumulativeWork),
        blockHeight: String(batch.expected.blockHeight),
        currentWork: String(batch.expected.currentWork),
        completedBlockCount: String(batch.expected.completedBlockCount),
      },
      transactionHash,
      preparedAt: isoOf(batch.preparedAt),
      submittedAt: submittedAt === null ? null : isoOf(submittedAt),
      terminalAt: this.#terminalAt === null ? null : isoOf(this.#terminalAt),
      confirmedAt: this.#confirmedAt === null ? null : isoOf(this.#confirmedAt),
      outcomeCode: lifecycle === "reverted" || lifecycle === "superseded" ? lifecycle : null,
    };
  }

  *#succeed(settlement: Settlement, at: number): Generator<DemoRecord> {
    if (this.#state.lifecycle === "preparing") {
      const sent = settlement.submitted(this.batch, at);
      if (sent === undefined) return;
      this.#state = { lifecycle: "submitted", ...sent };
      yield this.record();
    }
    const confirmedAt = settlement.confirmedAt(this.batch, at);
    if (confirmedAt === undefined) return;
    this.#state = { ...this.#state, lifecycle: "confirmed" };
    this.#confirmedAt = Math.max(confirmedAt, this.#state.submittedAt ?? confirmedAt);
    this.#terminalAt = this.#confirmedAt + 1_000;
    yield this.record();
  }

  *#fail(through: "submitted" | "retrying", end: "reverted" | "superseded", at: number): Generator<DemoRecord> {
    const { preparedAt, submissionId } = this.batch;
    if (this.#state.lifecycle === "preparing" && at >= preparedAt + SEND_DELAY_MS) {
      const transactionHash = hashOf(this.#plan.seed, "failed", submissionId);
      this.#state = { lifecycle: through, transactionHash, submittedAt: preparedAt + SEND_DELAY_MS };
      yield this.record();
    }
    if (at < preparedAt + FAIL_DELAY_MS) return;
    this.#state = { ...this.#state, lifecycle: end };
    this.#terminalAt = preparedAt + FAIL_DELAY_MS;
    yield this.record();
  }
}
