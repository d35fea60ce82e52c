/** The simulated measuring device. It creates a receipt at each tick and counts the work of each round. */
import { ROUND_MS } from "../../src/values/round.ts";
import { type DemoRecord, isoOf, type Plan } from "./plan.ts";
import { fraction, uuidOf } from "./random.ts";
import { ACTIVE_MS, DAY, isWithin } from "./story.ts";

/** The device's counters. One revolution is one unit of work; revolutions are counted in thousandths. */
interface DeviceState {
  bootId: string;
  sequence: number;
  counterEpoch: string;
  milliRevolutions: number;
  distanceMm: number;
  /** Epoch ms of the last tick. */
  at: number;
}

interface RoundWork {
  readonly work: number;
  readonly distanceMm: number;
}

export class Device {
  readonly #plan: Plan;
  readonly #state: DeviceState;
  /** Keyed by round id; an entry is removed when its round is closed. */
  readonly roundWork = new Map<number, RoundWork>();

  constructor(plan: Plan) {
    this.#plan = plan;
    this.#state = {
      bootId: uuidOf(plan.seed, "boot", plan.from),
      sequence: 0,
      counterEpoch: firstEpochOf(plan),
      milliRevolutions: 0,
      distanceMm: 0,
      at: plan.from,
    };
  }

  /** Yields the receipt of one tick, or nothing while the device is off. */
  *tick(at: number): Generator<DemoRecord> {
    const { seed, dawn, story } = this.#plan;
    const state = this.#state;
    if (isWithin(story.gap, at)) return;
    if (at - state.at > 10 * this.#plan.historyStep) this.#boot(at);
    if (state.at < story.counterFault.to && at >= story.counterFault.to) this.#beginEpoch(at);
    const rpmMilli = isWithin(story.rest, at) ? 0 : rpmMilliAt(seed, dawn, at);
    const speed = speedOf(rpmMilli);
    const before = Math.floor(state.milliRevolutions / 1000);
    const elapsed = at - state.at;
    state.milliRevolutions += Math.round((rpmMilli * elapsed) / 60_000);
    const distanceMm = Math.round((speed * elapsed) / 1000);
    state.distanceMm += distanceMm;
    this.#count(at, Math.floor(state.milliRevolutions / 1000) - before, distanceMm);
    const isFaulty = isWithin(story.counterFault, at);
    const outage = isWithin(story.uplinkOutage, at);
    yield {
      type: "receipt",
      installationId: this.#plan.installationId,
      telemetryId: uuidOf(seed, state.bootId, state.sequence),
      bootId: state.bootId,
      counterEpoch: state.counterEpoch,
      sequence: state.sequence,
      observedAt: isoOf(at),
      receivedAt: isoOf((outage ? story.uplinkOutage.to : at) + 150 + Math.floor(300 * fraction(seed, 4, at))),
      cumulativeWorkUnits: String(Math.floor(state.milliRevolutions / 1000)),
      provenance: "simulated",
      softwareVersion: at < story.counterFault.to ? "1.4.2" : "1.5.0",
      coreStatus: isFaulty ? "COUNTER_FAULT" : rpmMilli === 0 ? "IDLE" : "ACTIVE",
      rpmMilli,
      speedMmPerSecond: speed,
      distanceMm: state.distanceMm,
    };
    state.sequence++;
    state.at = at;
  }

  /** Restarts after a pause. Revolutions during the pause are not counted. */
  #boot(at: number): void {
    const state = this.#state;
    state.bootId = uuidOf(this.#plan.seed, "boot", at);
    state.sequence = 0;
    state.at = at;
  }

  #beginEpoch(at: number): void {
    const state = this.#state;
    this.#boot(at);
    state.counterEpoch = resetEpochOf(this.#plan);
    state.milliRevolutions = state.distanceMm = 0;
  }

  #count(at: number, work: number, distanceMm: number): void {
    const round = Math.floor((at - this.#plan.genesisMs) / ROUND_MS);
    const before = this.roundWork.get(round) ?? { work: 0, distanceMm: 0 };
    this.roundWork.set(round, { work: before.work + work, distanceMm: before.distanceMm + distanceMm });
  }
}

export function firstEpochOf({ seed }: Plan): string {
  return uuidOf(seed, "epoch", 1);
}

/** The counter epoch that begins after the counter fault. */
export function resetEpochOf({ seed }: Plan): string {
  return uuidOf(seed, "epoch", 2);
}

/** Millimetres per revolution. */
const CIRCUMFERENCE_MM = 850;
const MAX_RPM_MILLI = 60_000;
/** Probability that the wheel rests during a round. */
const REST_PROBABILITY = 0.2;

/** Speed at an instant, in thousandths of a revolution per minute. `dawn` is any dawn (epoch ms). */
function rpmMilliAt(seed: number, dawn: number, at: number): number {
  const day = Math.floor((at - dawn) / DAY);
  const sinceDawn = at - dawn - day * DAY;
  if (sinceDawn >= ACTIVE_MS) return 0;
  const round = Math.floor(at / ROUND_MS);
  const activity = fraction(seed, 1, round);
  if (activity < REST_PROBABILITY) return 0;
  const arc = Math.sin((Math.PI * sinceDawn) / ACTIVE_MS);
  const dayFactor = 0.55 + 0.45 * fraction(seed, 2, day);
  const jitter = 0.9 + 0.2 * fraction(seed, 3, at);
  return Math.round(MAX_RPM_MILLI * arc * dayFactor * (0.5 + 0.5 * activity) * jitter);
}

/** Millimetres per second. */
function speedOf(rpmMilli: number): number {
  return Math.round((rpmMilli * CIRCUMFERENCE_MM) / 60_000);
}
