/** The metrics page of a publisher, if the setting `metrics` names an address; otherwise nothing of it is loaded. */
import type { Logger } from "pino";
import type { TickHealthState } from "../../../publish/schedule/health.ts";
import { logProblem } from "../log.ts";
import type { Settings } from "../settings/settings.ts";
import { metricsAddress } from "./address.ts";
import type { Health } from "./metrics-server.ts";
import type { WatchedPublisher } from "./watched-publisher.ts";

/** Returns the function that ends it. Throws `Failure`: `port_in_use`, `host_unusable`, `port_unusable`. */
export async function startPublisherPage(
  { metrics }: Settings,
  log: Logger,
  watched: WatchedPublisher,
): Promise<() => Promise<void>> {
  const address = metricsAddress(metrics);
  if (address === undefined) return async () => {};
  const { publisherRegistry } = await import("./publisher-metrics.ts");
  const { startMetricsServer } = await import("./metrics-server.ts");
  const registry = publisherRegistry(watched);
  const { url, stop } = await startMetricsServer(address, {
    metrics: () => registry.metrics(),
    contentType: registry.contentType,
    health: () => healthOf(watched.monitor.state(), watched.monitor.clockMovedMs),
    defect: (error) => logProblem(log, "the metrics met a defect", error),
  });
  log.info({ url }, "metrics");
  return stop;
}

/**
 * A standby is well: it is there when it is needed. So is a publisher whose host's clock has moved: a restart would only make
 * it forget the trusted time.
 */
function healthOf({ isWell, phase, quietSeconds, reason }: TickHealthState, clockMovedMs: number): Health {
  const moved = clockMovedMs === 0 ? {} : { problem: "clock_moved", clockMovedMs };
  const about = { phase, lastTurnSecondsAgo: quietSeconds, ...moved };
  return isWell
    ? { isWell, body: { status: "ok", ...about } }
    : { isWell, body: { status: "failing", reason, ...about } };
}
