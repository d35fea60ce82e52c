/** The metrics page of `ingest --follow`, if the setting `metrics` names an address. */
import type { Counts } from "../../../src/ledger/intake/intake.ts";
import type { Settings } from "../settings/settings.ts";
import { warn } from "../warn.ts";
import { metricsAddress } from "./address.ts";

/** Returns the function that ends it. Throws `Failure`: `port_in_use`, `host_unusable`, `port_unusable`. */
export async function startIngestPage({ metrics }: Settings, counts: () => Counts): Promise<() => Promise<void>> {
  const address = metricsAddress(metrics);
  if (address === undefined) return async () => {};
  const { ingestRegistry } = await import("./ingest-metrics.ts");
  const { startMetricsServer } = await import("./metrics-server.ts");
  const registry = ingestRegistry(counts);
  const { stop } = await startMetricsServer(address, {
    metrics: () => registry.metrics(),
    contentType: registry.contentType,
    defect: (error) =>
      warn({ code: "metrics_failed", message: error instanceof Error ? error.message : String(error) }),
  });
  return stop;
}
