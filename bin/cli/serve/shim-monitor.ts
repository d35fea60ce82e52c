/** The metrics page of `serve`, if the setting `metrics` names an address; otherwise nothing of it is loaded. */
import cluster from "node:cluster";
import type { Logger } from "pino";
import { ShimCounts } from "../../../src/shim/node/shim-counts.ts";
import { logProblem } from "../log.ts";
import { metricsAddress } from "../metrics/address.ts";
import type { Settings } from "../settings/settings.ts";

export interface ShimMonitor {
  readonly counts: ShimCounts;
  stop(): Promise<void>;
}

const DEFECT = "the metrics met a defect";

/**
 * Starts the metrics of a process that serves requests. Throws `Failure`: `port_in_use`, `host_unusable`, `port_unusable`.
 */
export async function monitorShim({ metrics }: Settings, log: Logger): Promise<ShimMonitor | undefined> {
  const address = metricsAddress(metrics);
  if (address === undefined) return undefined;
  const counts = new ShimCounts();
  const defect = (error: unknown) => logProblem(log, DEFECT, error);
  const { shimRegistry } = await import("../metrics/shim-metrics.ts");
  const registry = shimRegistry(counts);
  if (cluster.isWorker) {
    const { tellPrimary } = await import("./worker-snapshots.ts");
    tellPrimary(registry, defect);
    return { counts, stop: async () => {} };
  }
  const { startMetricsServer } = await import("../metrics/metrics-server.ts");
  const { url, stop } = await startMetricsServer(address, {
    metrics: () => registry.metrics(),
    contentType: registry.contentType,
    defect,
  });
  log.info({ url }, "metrics");
  return { counts, stop };
}

/** For the primary of workers: their sums, and its own process's. Throws as `monitorShim`. */
export async function monitorWorkers({ metrics }: Settings, log: Logger): Promise<{ stop(): Promise<void> }> {
  const address = metricsAddress(metrics);
  if (address === undefined) return { stop: async () => {} };
  const { processRegistry } = await import("../metrics/process-registry.ts");
  const { WorkerSnapshots } = await import("./worker-snapshots.ts");
  const own = processRegistry();
  const snapshots = new WorkerSnapshots();
  const { startMetricsServer } = await import("../metrics/metrics-server.ts");
  const server = await startMetricsServer(address, {
    metrics: () => snapshots.metrics(own),
    contentType: own.contentType,
    defect: (error) => logProblem(log, DEFECT, error),
  });
  log.info({ url: server.url }, "metrics");
  return server;
}
