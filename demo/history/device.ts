/** The measuring device: a receipt at each tick, and its revolutions in each round. */
import { ROUND_MS } from "../../src/values/round.ts";
import { fraction, uuidOf } from "./random.ts";
import { DAY, WAKING, isWithin } from "./story.ts";
import { type DemoRecord, isoOf, type Plan } from "./plan.ts";

/** The counters; revolutions, one unit of work each, in thousandths. */
export interface DeviceState {
  bootId: string;
  sequence: number;
  counterEpoch: string;
  milliTurns: number;
  distanceMm: number;
  /** The last tick (epoch ms). */
  at: number;
}

export interface Turned {
  readonly work: number;
  readonly distanceMm: number;
}

export class Device {
  readonly #plan: Plan;
  readonly #state: DeviceState;
  /** By round id, until the round is closed. */
  readonly turned = new Map<number, Turned>();

  constructor(plan: Plan, state?: DeviceState) {
    this.#plan = plan;
    this.#state = state ?? {
      bootId: uuidOf(plan.seed, "boot", plan.from),
      sequence: 0,
      counterEpoch: firstEpochOf(plan),
      milliTurns: 0,
      distanceMm: 0,
      at: plan.from,
    };
  }

  /** The receipt of one tick; nothing while the device is off. */
  *tick(at: number): Generator<DemoRecord> {
    const { seed, dawn, story } = this.#plan;
    const state = this.#state;
    if (isWithin(story.gap, at)) return;
    if (at - state.at > 10 * this.#plan.historyStep) this.#boot(at);
    if (state.at < story.counterFault.to && at >= story.counterFault.to) this.#beginEpoch(at);
    const rpmMilli = isWithin(story.rest, at) ? 0 : rpmMilliAt(seed, dawn, at);
    const speed = speedOf(rpmMilli);
    const before = Math.floor(state.milliTurns / 1000);
    const elapsed = at - state.at;
    state.milliTurns += Math.round((rpmMilli * elapsed) / 60_000);
    const distanceMm = Math.round((speed * elapsed) / 1000);
    state.distanceMm += distanceMm;
    this.#count(at, Math.floor(state.milliTurns / 1000) - before, distanceMm);
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
      cumulativeWorkUnits: String(Math.floor(state.milliTurns / 1000)),
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

  /** After it was off: nobody counted the revolutions in between. */
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
    state.milliTurns = state.distanceMm = 0;
  }

  #count(at: number, work: number, distanceMm: number): void {
    const round = Math.floor((at - this.#plan.genesisMs) / ROUND_MS);
    const before = this.turned.get(round) ?? { work: 0, distanceMm: 0 };
    this.turned.set(round, { work: before.work + work, distanceMm: before.distanceMm + distanceMm });
  }
}

export function firstEpochOf({ seed }: Plan): string {
  return uuidOf(seed, "epoch", 1);
}

/** The epoch that begins when the counter has failed. */
export function resetEpochOf({ seed }: Plan): string {
  return uuidOf(seed, "epoch", 2);
}

/** Millimetres that one revolution covers. */
const CIRCUMFERENCE_MM = 850;
const FASTEST_RPM_MILLI = 60_000;
const RESTS = 0.2;

/** Thousandths of a revolution a minute at an instant; `dawn` is any dawn (epoch ms). */
function rpmMilliAt(seed: number, dawn: number, at: number): number {
  const day = Math.floor((at - dawn) / DAY);
  const sinceDawn = at - dawn - day * DAY;
  if (sinceDawn >= WAKING) return 0;
  const round = Math.floor(at / ROUND_MS);
  const mood = fraction(seed, 1, round);
  if (mood < RESTS) return 0;
  const arc = Math.sin((Math.PI * sinceDawn) / WAKING);
  const ofDay = 0.55 + 0.45 * fraction(seed, 2, day);
  const tremble = 0.9 + 0.2 * fraction(seed, 3, at);
  return Math.round(FASTEST_RPM_MILLI * arc * ofDay * (0.5 + 0.5 * mood) * tremble);
}

/** Millimetres a second. */
function speedOf(rpmMilli: number): number {
  return Math.round((rpmMilli * CIRCUMFERENCE_MM) / 60_000);
}
