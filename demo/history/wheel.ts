/**
 * The demo's simulated wheel: thirty days of accepted facts as NDJSON records, then the same device live. It keeps only
 * unfinished work, so that a history of any length costs no memory. It can continue any ledger that it has filled.
 */
import { Device, type DeviceState, type Turned } from "./device.ts";
import { moduleSnapshots } from "./modules.ts";
import { Oracle, type OracleState } from "./oracle.ts";
import type { DemoRecord, Plan } from "./plan.ts";
import { Reporter, type ReporterState } from "./reporter.ts";
import { type Settlement, simulatedSettlement } from "./settlement.ts";
import { HOUR, MINUTE } from "./story.ts";

/** Unfinished work; `tail.ts` reads it back from a ledger. */
export interface WheelState {
  /** The last tick (epoch ms). */
  readonly at: number;
  readonly device: DeviceState;
  /** Revolutions in rounds that are not closed. */
  readonly turned: ReadonlyMap<number, Turned>;
  readonly oracle: OracleState;
  /** The work of closed rounds after the frontier. */
  readonly closedWork: Map<number, number>;
  readonly acceptedThrough: number;
  readonly reporter: ReporterState;
}

export interface WheelOptions {
  /** The settlement of batches; simulated if absent. */
  readonly settlement?: Settlement;
  readonly state?: WheelState;
}

export class Wheel {
  readonly #plan: Plan;
  readonly #device: Device;
  readonly #oracle: Oracle;
  readonly #reporter: Reporter;
  #at: number;

  constructor(plan: Plan, { settlement = simulatedSettlement(plan.seed), state }: WheelOptions = {}) {
    this.#plan = plan;
    this.#at = state?.at ?? plan.from;
    this.#device = new Device(plan, state?.device);
    for (const [round, turned] of state?.turned ?? []) this.#device.turned.set(round, turned);
    this.#oracle = new Oracle(plan, this.#device, { ...state, state: state?.oracle });
    this.#reporter = new Reporter(plan, this.#oracle, settlement, state?.reporter);
  }

  /** The last tick (epoch ms). */
  get at(): number {
    return this.#at;
  }

  /** The records from the last tick up to an instant (epoch ms), a receipt every thirty seconds. */
  *history(end: number): Generator<DemoRecord> {
    const { historyStep, historyBatch } = this.#plan;
    while (this.#at + historyStep <= end) yield* this.#tick(this.#at + historyStep, historyBatch, HOUR);
  }

  /** The records due since the last call, a receipt every three seconds; after a longer pause the device boots. */
  *nextLive(at: number): Generator<DemoRecord> {
    const { liveStep, liveBatch, historyStep } = this.#plan;
    if (at - this.#at > 10 * historyStep) this.#at = at - liveStep;
    while (this.#at + liveStep <= at) yield* this.#tick(this.#at + liveStep, liveBatch, MINUTE);
  }

  *#tick(at: number, batch: number, moduleStep: number): Generator<DemoRecord> {
    const lastTick = this.#at;
    yield* this.#device.tick(at);
    if (Math.floor(at / moduleStep) !== Math.floor(lastTick / moduleStep)) yield* moduleSnapshots(this.#plan, at);
    yield* this.#oracle.tick(lastTick, at);
    yield* this.#reporter.tick(lastTick, at, batch);
    this.#at = at;
  }
}
