/** The setting `metrics`, and the metrics page of a process. Without an address nothing of the page is loaded. */
import type { Registry } from "@prometheus-io/client";
import * as z from "zod";
import type { Health } from "./metrics-server.ts";

const NONE = "none";
const ADDRESS = /^(?:none|(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):\d{1,5})$/;
const HIGHEST_PORT = 65_535;

export const metricsSetting = z
  .string()
  .regex(ADDRESS, "is neither none nor host:port, as in 127.0.0.1:9464")
  .refine(
    (text) => text === NONE || Number(text.slice(text.lastIndexOf(":") + 1)) <= HIGHEST_PORT,
    "the port must be 0 to 65535",
  )
  .default(NONE);

/** `metrics` has passed `metricsSetting`. */
export function hasMetricsPage(metrics: string): boolean {
  return metrics !== NONE;
}

export interface MetricsPage {
  readonly registry: Registry;
  /** The page in Prometheus' text format; absent: the registry's own. */
  text?(): Promise<string>;
  /** For `/healthz`; absent if another address serves it. */
  health?(): Health;
  defect(error: unknown): void;
  started?(url: string): void;
}

/**
 * Serves the page that `open` makes, unless `metrics` is `none`. Returns the function that ends it. Throws `Failure`:
 * `port_in_use`, `host_unusable`, `port_unusable`.
 */
export async function startMetricsPage(
  metrics: string,
  open: () => MetricsPage | Promise<MetricsPage>,
): Promise<() => Promise<void>> {
  if (!hasMetricsPage(metrics)) return async () => {};
  const { startMetricsServer } = await import("./metrics-server.ts");
  const page = await open();
  const { registry, text = () => registry.metrics() } = page;
  const colon = metrics.lastIndexOf(":");
  const address = { host: metrics.slice(0, colon).replace(/^\[|\]$/g, ""), port: Number(metrics.slice(colon + 1)) };
  const { url, stop } = await startMetricsServer(address, {
    metrics: () => text(),
    contentType: registry.contentType,
    ...(page.health && { health: () => page.health?.() as Health }),
    defect: (error) => page.defect(error),
  });
  page.started?.(url);
  return stop;
}
