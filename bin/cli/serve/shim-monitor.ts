/** The metrics of `serve`, collected only if the setting `metrics` names an address. */
import cluster from "node:cluster";
import type { Logger } from "pino";
import { ShimCounts } from "../../../src/shim/node/store-reader.ts";
import { metricsLog } from "../log.ts";
import { hasMetricsPage, startMetricsPage } from "../metrics/metrics-page.ts";
import type { Settings } from "../settings/settings.ts";

export interface ShimMonitor {
  readonly counts: ShimCounts;
  stop(): Promise<void>;
}

/** Starts the metrics of a process that serves requests; undefined without a page. Throws as `startMetricsPage`. */
export async function monitorShim({ metrics }: Settings, log: Logger): Promise<ShimMonitor | undefined> {
  if (!hasMetricsPage(metrics)) return undefined;
  const counts = new ShimCounts();
  const { shimRegistry } = await import("../metrics/registries.ts");
  const registry = shimRegistry(counts);
  const report = metricsLog(log);
  if (cluster.isWorker) {
    const { answerPrimary } = await import("./worker-snapshots.ts");
    answerPrimary(registry, report.defect);
    return { counts, stop: async () => {} };
  }
  const stop = await startMetricsPage(metrics, () => ({ registry, ...report }));
  return { counts, stop };
}

/** Starts the metrics of the primary: its workers' sums and its own. Returns a function that ends them. */
export function monitorWorkers({ metrics }: Settings, log: Logger): Promise<() => Promise<void>> {
  return startMetricsPage(metrics, async () => {
    const { processRegistry } = await import("../metrics/registries.ts");
    const { WorkerSnapshots } = await import("./worker-snapshots.ts");
    const registry = processRegistry();
    const snapshots = new WorkerSnapshots();
    return { registry, text: () => snapshots.metrics(registry), ...metricsLog(log) };
  });
}
