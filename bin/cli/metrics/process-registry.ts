import { collectDefaultMetrics, Gauge, Registry } from "@prometheus-io/client";
import { packageVersion } from "../../../src/files/package-file.ts";

/** How often the event loop's share of the time is measured (ms): a timer that costs nothing. */
const UTILIZATION_MS = 1_000;
const PRECISION_MS = 20;

/** A registry with metrics of this process: CPU, memory, files, event loop, garbage collection, versions. */
export function processRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({
    register: registry,
    eventLoopUtilizationTimeout: UTILIZATION_MS,
    eventLoopMonitoringPrecision: PRECISION_MS,
  });
  // Quantiles of several workers have no sum; the histogram of the same values stays.
  registry.removeSingleMetric("nodejs_eventloop_utilization_summary");
  new Gauge({
    name: "noonmark_build_info",
    help: "Always 1; the version of Noonmark.",
    labelNames: ["version"],
    aggregator: "first",
    registers: [registry],
  }).set({ version: packageVersion() }, 1);
  return registry;
}
