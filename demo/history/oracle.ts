/** The simulated Oracle. It closes rounds, approves counter epochs and accepts closed rounds, once with a delay. */
import { ROUND_MS } from "../../src/values/round.ts";
import { type Device, firstEpochOf, resetEpochOf } from "./device.ts";
import { type DemoRecord, isDue, isoOf, type Plan } from "./plan.ts";
import { isWithin } from "./story.ts";

const CLOSE_DELAY_MS = 3_000;
const ACCEPT_DELAY_MS = 35_000;
/** If a round is closed or accepted later than this after its due time, the record shows the actual time. */
const LATE_AFTER_MS = 60_000;

export class Oracle {
  readonly #plan: Plan;
  readonly #device: Device;
  #nextRound = 0;
  /** Closed rounds that are not yet accepted, ascending. */
  #unaccepted: number[] = [];
  /** Work of closed rounds by id, kept until settled. */
  readonly closedWork = new Map<number, number>();
  /** The highest accepted round. */
  acceptedThrough = -1;

  constructor(plan: Plan, device: Device) {
    this.#plan = plan;
    this.#device = device;
  }

  *tick(lastTick: number, at: number): Generator<DemoRecord> {
    const { story, from } = this.#plan;
    if (isDue(from + 1, lastTick, at)) yield this.#approval(firstEpochOf(this.#plan), from);
    if (isDue(story.resetApprovedAt, lastTick, at))
      yield this.#approval(resetEpochOf(this.#plan), story.resetApprovedAt);
    if (isDue(story.oracleBlock.from, lastTick, at)) yield this.#block("signature_mismatch", story.oracleBlock.from);
    if (isDue(story.oracleBlock.to, lastTick, at)) yield this.#block(null, story.oracleBlock.to);
    while (this.#endOf(this.#nextRound) + CLOSE_DELAY_MS <= at) yield* this.#close(this.#nextRound++, at);
    yield* this.#accept(at);
  }

  *#close(roundId: number, at: number): Generator<DemoRecord> {
    const { gap } = this.#plan.story;
    const end = this.#endOf(roundId);
    if (end - ROUND_MS >= gap.from && end <= gap.to) return;
    const roundWork = this.#device.roundWork.get(roundId);
    this.#device.roundWork.delete(roundId);
    this.#unaccepted.push(roundId);
    this.closedWork.set(roundId, roundWork?.work ?? 0);
    const due = end + CLOSE_DELAY_MS;
    yield {
      type: "round",
      installationId: this.#plan.installationId,
      roundId: String(roundId),
      workUnits: String(roundWork?.work ?? 0),
      // Without a receipt, the distance is unknown.
      distanceMm: roundWork === undefined ? null : String(roundWork.distanceMm),
      eligible: true,
      closedAt: isoOf(at - due > LATE_AFTER_MS ? at : due),
    };
  }

  *#accept(at: number): Generator<DemoRecord> {
    const unaccepted = this.#unaccepted;
    const newest = unaccepted.at(-1);
    const due = newest === undefined ? at + 1 : this.#endOf(newest) + ACCEPT_DELAY_MS;
    if (newest === undefined || due > at || isWithin(this.#plan.story.lateAcceptance, at)) return;
    let first = unaccepted[0] ?? newest;
    for (const [index, roundId] of unaccepted.entries()) {
      if (unaccepted[index + 1] === roundId + 1) continue;
      yield {
        type: "closure",
        installationId: this.#plan.installationId,
        firstRound: String(first),
        lastRound: String(roundId),
        acceptedAt: isoOf(at - due > LATE_AFTER_MS ? at : due),
      };
      first = unaccepted[index + 1] ?? roundId;
    }
    this.acceptedThrough = newest;
    this.#unaccepted = [];
  }

  #endOf(roundId: number): number {
    return this.#plan.genesisMs + (roundId + 1) * ROUND_MS;
  }

  #approval(counterEpoch: string, approvedAt: number): DemoRecord {
    const { installationId } = this.#plan;
    return { type: "epoch", installationId, counterEpoch, approvedAt: isoOf(approvedAt) };
  }

  #block(blockedReason: string | null, at: number): DemoRecord {
    return { type: "oracle", installationId: this.#plan.installationId, blockedReason, at: isoOf(at) };
  }
}
