/**
 * The simulated Reporter and its operator. It runs every five minutes and settles accepted rounds in batches of at most
 * sixteen.
 */
import type { Oracle } from "./oracle.ts";
import { type DemoRecord, isDue, isoOf, type Plan } from "./plan.ts";
import { uuidOf } from "./random.ts";
import type { Batch, Settlement } from "./settlement.ts";
import { isWithin } from "./story.ts";
import { type Outcome, Submission } from "./submission.ts";

const MAX_BATCH = 16;
const RUN_DURATION_MS = 4_000;

interface ReporterState {
  /** The settled frontier (last settled round). */
  frontier: number;
  settledWork: number;
  active: Submission | undefined;
  /** Epoch ms. */
  lastPreparedAt: number;
}

export class Reporter {
  readonly #plan: Plan;
  readonly #oracle: Oracle;
  readonly #settlement: Settlement;
  readonly #state: ReporterState;

  constructor(plan: Plan, oracle: Oracle, settlement: Settlement) {
    this.#plan = plan;
    this.#oracle = oracle;
    this.#settlement = settlement;
    this.#state = { frontier: 0, settledWork: 0, active: undefined, lastPreparedAt: plan.from };
  }

  /** `batch` is the minimum number of waiting rounds to settle. */
  *tick(lastTick: number, at: number, batch: number): Generator<DemoRecord> {
    yield* this.#controls(lastTick, at);
    const { active } = this.#state;
    if (active !== undefined) {
      yield* active.tick(this.#settlement, at);
      if (active.isOver) this.#settle(active);
    }
    const run = Math.floor((at - RUN_DURATION_MS) / this.#plan.runStep) * this.#plan.runStep;
    if (isDue(run + RUN_DURATION_MS, lastTick, at)) yield* this.#run(run, batch);
  }

  *#run(startedAt: number, batch: number): Generator<DemoRecord> {
    const { story, installationId } = this.#plan;
    let result = isWithin(story.reporterFailure, startedAt) ? "failed" : "nothing_to_submit";
    const isHeld = isWithin(story.disabled, startedAt) || isWithin(story.incident, startedAt);
    const waiting = this.#oracle.acceptedThrough - this.#state.frontier;
    if (result !== "failed" && !isHeld && this.#state.active === undefined && waiting >= batch) {
      const preparedAt = startedAt + 1_000;
      const submission = new Submission(this.#plan, this.#prepare(preparedAt), this.#outcomeOf(preparedAt));
      this.#state.active = submission;
      this.#state.lastPreparedAt = preparedAt;
      yield submission.record();
      result = "submitted";
    }
    const finishedAt = isoOf(startedAt + RUN_DURATION_MS);
    yield { type: "reporter_run", installationId, startedAt: isoOf(startedAt), finishedAt, result };
  }

  #prepare(preparedAt: number): Batch {
    const { seed, workPerBlock } = this.#plan;
    const { frontier, settledWork } = this.#state;
    const settledThroughRound = Math.min(this.#oracle.acceptedThrough, frontier + MAX_BATCH);
    let workAdded = 0;
    let activeRoundCount = 0;
    for (let id = frontier + 1; id <= settledThroughRound; id++) {
      // A round that was never closed has no work.
      const work = this.#oracle.closedWork.get(id) ?? 0;
      workAdded += work;
      if (work > 0) activeRoundCount++;
    }
    const cumulativeWork = settledWork + workAdded;
    const blockHeight = Math.floor(cumulativeWork / workPerBlock);
    const completedBlockCount = blockHeight - Math.floor(settledWork / workPerBlock);
    return {
      submissionId: uuidOf(seed, "submission", preparedAt),
      previousSettledThroughRound: frontier,
      settledThroughRound,
      activeRoundCount,
      workAdded,
      expected: { cumulativeWork, blockHeight, currentWork: cumulativeWork % workPerBlock, completedBlockCount },
      preparedAt,
    };
  }

  /** The first submission after each of the story's instants fails in the planned way. */
  #outcomeOf(preparedAt: number): Outcome {
    const { revertedFrom, supersededFrom } = this.#plan.story;
    if (isDue(revertedFrom, this.#state.lastPreparedAt, preparedAt)) return "reverted";
    return isDue(supersededFrom, this.#state.lastPreparedAt, preparedAt) ? "superseded" : "confirmed";
  }

  #settle({ batch, isConfirmed }: Submission): void {
    const state = this.#state;
    state.active = undefined;
    if (!isConfirmed) return;
    for (let id = state.frontier; id <= batch.settledThroughRound; id++) this.#oracle.closedWork.delete(id);
    state.frontier = batch.settledThroughRound;
    state.settledWork = batch.expected.cumulativeWork;
  }

  *#controls(lastTick: number, at: number): Generator<DemoRecord> {
    const { story, from, installationId } = this.#plan;
    const normal = {
      settlementEnabled: true,
      reporterEnvironmentEnabled: true,
      blockedReason: null,
      incidentOpen: false,
    };
    const changes: readonly [number, Partial<Record<keyof typeof normal, unknown>>][] = [
      [from + 1, {}],
      [story.disabled.from, { settlementEnabled: false }],
      [story.disabled.to, {}],
      [story.incident.from, { blockedReason: "nonce_mismatch", incidentOpen: true }],
      [story.incident.to, {}],
    ];
    for (const [instant, change] of changes) {
      if (!isDue(instant, lastTick, at)) continue;
      yield { type: "settlement_control", installationId, ...normal, ...change, at: isoOf(instant) };
    }
  }
}
