/**
 * The demo's simulated wheel. It yields thirty days of accepted facts as records, then continues live. It keeps only
 * unfinished rounds and submissions in memory.
 */

import { Device } from "./device.ts";
import { Oracle } from "./oracle.ts";
import { type DemoRecord, isoOf, type Plan } from "./plan.ts";
import { Reporter } from "./reporter.ts";
import { type Settlement, simulatedSettlement } from "./settlement.ts";
import { HOUR, isWithin, MINUTE } from "./story.ts";

export class Wheel {
  readonly #plan: Plan;
  readonly #device: Device;
  readonly #oracle: Oracle;
  readonly #reporter: Reporter;
  #at: number;

  constructor(plan: Plan, { settlement = simulatedSettlement(plan.seed) }: { readonly settlement?: Settlement } = {}) {
    this.#plan = plan;
    this.#at = plan.from;
    this.#device = new Device(plan);
    this.#oracle = new Oracle(plan, this.#device);
    this.#reporter = new Reporter(plan, this.#oracle, settlement);
  }

  /** Epoch ms of the last tick. */
  get at(): number {
    return this.#at;
  }

  /** The records up to `end` (epoch ms), with a receipt every thirty seconds. */
  *history(end: number): Generator<DemoRecord> {
    const { historyStep, historyBatch } = this.#plan;
    while (this.#at + historyStep <= end) yield* this.#tick(this.#at + historyStep, historyBatch, HOUR);
  }

  /**
   * The records since the last call, with a receipt every three seconds. After a pause of five minutes the device
   * reboots.
   */
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

const MODULES = [
  { instanceId: "encoder-0", moduleType: "encoder", driverId: "as5600", moduleVersion: "2.1.0", bus: "i2c-1" },
  { instanceId: "controller", moduleType: "controller", driverId: "stm32g4", moduleVersion: "5.0.3", bus: "spi-0" },
  { instanceId: "uplink", moduleType: "network", driverId: "sim7600", moduleVersion: "1.9.12", bus: "usb-2" },
  { instanceId: "display", moduleType: "display", driverId: "ssd1306", moduleVersion: "0.8.0", bus: "i2c-1" },
] as const;

/** A snapshot of each module at an instant. */
function* moduleSnapshots(plan: Plan, at: number): Generator<DemoRecord> {
  for (const { bus, ...module } of MODULES) {
    const state = stateOf(plan, module.instanceId, at);
    yield {
      type: "module",
      installationId: plan.installationId,
      ...module,
      schemaVersion: 1,
      state,
      observedAt: isoOf(at),
      provenance: "simulated",
      health: { checkedAt: isoOf(at - 1_000), message: `${module.instanceId} is ${state}`, code: null },
      data: { temperatureMilliCelsius: 31_000 + (Math.floor(at / 60_000) % 900) },
      resources: { bus, memoryBytes: 65_536 },
      configuration: { apiKey: `private-${module.instanceId}`, samplesPerSecond: 200 },
      configurationVersion: "7",
      enabled: state !== "disabled",
    };
  }
}

function stateOf({ story }: Plan, instanceId: string, at: number): string {
  if (instanceId === "display") return "disabled";
  if (instanceId === "uplink" && isWithin(story.uplinkOutage, at)) return "faulted";
  if (instanceId === "encoder-0" && isWithin(story.counterFault, at)) return "degraded";
  return "ready";
}
