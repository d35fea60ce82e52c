/** The device's modules: four, each with private details that must never be published. */
import { type DemoRecord, isoOf, type Plan } from "./plan.ts";
import { isWithin } from "./story.ts";

const MODULES = [
  { instanceId: "encoder-0", moduleType: "encoder", driverId: "as5600", moduleVersion: "2.1.0", bus: "i2c-1" },
  { instanceId: "controller", moduleType: "controller", driverId: "stm32g4", moduleVersion: "5.0.3", bus: "spi-0" },
  { instanceId: "uplink", moduleType: "network", driverId: "sim7600", moduleVersion: "1.9.12", bus: "usb-2" },
  { instanceId: "display", moduleType: "display", driverId: "ssd1306", moduleVersion: "0.8.0", bus: "i2c-1" },
] as const;

/** A snapshot of each module as of an instant. */
export function* moduleSnapshots(plan: Plan, at: number): Generator<DemoRecord> {
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
