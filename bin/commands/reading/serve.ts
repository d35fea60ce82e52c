/** `noonmark serve`: the shim over the published objects, until a signal ends it. */

import type { Command } from "commander";
import type { Logger } from "pino";
import { optionalPackage } from "../../../src/files/package-file.ts";
import { INSTALLATIONS_KEY } from "../../../src/http/keys.ts";
import { type ObjectStore, StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { type ShimContext, shimContext } from "../../../src/shim/context.ts";
import { connectionsWithin, openFilesLimit, SERVER_LIMITS } from "../../../src/shim/node/limits.ts";
import { startServer } from "../../../src/shim/node/node-server.ts";
import { steadyStore } from "../../../src/shim/node/steady-store.ts";
import { countedReads, ShimCounts, storeReader, tickStore } from "../../../src/shim/node/store-reader.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { parseInstant } from "../../cli/arguments.ts";
import { openConfiguredStore } from "../../cli/configured-store.ts";
import { createLog, logProblem, metricsLog, rareReport } from "../../cli/log.ts";
import { print } from "../../cli/messages.ts";
import { startMetricsPage } from "../../cli/metrics/metrics-page.ts";
import { shimClock } from "../../cli/serve/clock.ts";
import { failedReads } from "../../cli/serve/failed-reads.ts";
import { loadSettings } from "../../cli/settings/load-settings.ts";
import { type Settings, settingOptions } from "../../cli/settings/settings.ts";
import { askedToStop } from "../../cli/signals.ts";
import { keepYoungGenerationSmall } from "../../cli/small-heap.ts";

export function registerServe(program: Command): void {
  const command = program
    .command("serve")
    .option("--at <instant>", "serve the responses as of this instant")
    .option(
      "--reuse-port",
      "share the port with other processes of `serve`: Linux divides the connections between them",
    )
    .action(serve);
  settingOptions(command, ["store", "host", "port", "sharedCacheControl", "metrics", "logLevel", "logFormat"]);
}

interface ServeFlags extends Record<string, unknown> {
  readonly at?: string;
  readonly reusePort?: boolean;
}

async function serve(flags: ServeFlags): Promise<void> {
  keepYoungGenerationSmall();
  const settings = loadSettings({ ...flags }, ["store"]);
  const at = parseInstant(flags.at);
  const log = await createLog(settings);
  const store = await openConfiguredStore(settings, { write: false });
  const counts = new ShimCounts();
  const stopMetrics = await startMetricsPage(settings.metrics, async () => {
    const { shimRegistry } = await optionalPackage(
      "@prometheus-io/client",
      () => import("../../cli/metrics/registries.ts"),
    );
    return { registry: shimRegistry(counts), ...metricsLog(log) };
  });
  try {
    await serveUntilStopped(store, settings, { at, reusePort: flags.reusePort === true, log, counts });
  } finally {
    await stopMetrics();
  }
}

interface Serving {
  /** The instant at which the clock is stopped, for `--at`. */
  readonly at: number | undefined;
  readonly reusePort: boolean;
  readonly log: Logger;
  readonly counts: ShimCounts;
}

async function serveUntilStopped(
  store: ObjectStore,
  settings: Settings,
  { at, reusePort, log, counts }: Serving,
): Promise<void> {
  const monotonic = () => performance.now();
  const clock = await shimClock(store, log);
  const reads = failedReads(log, monotonic);
  const steady = steadyStore(countedReads(storeReader(store), counts), monotonic);
  const context = shimContext({
    store: tickStore(steady),
    storeFails: steady.fails,
    lifetimeHeader: settings.sharedCacheControl ? "cache-control" : "cdn-cache-control",
    now: () => at ?? clock.now(),
    monotonic,
    report: reads.report,
    onResponse: (row, status) => counts.count(row, status),
  });
  const limits = { ...SERVER_LIMITS, maxConnections: connectionsWithin(openFilesLimit()) };
  const crowded = rareReport(
    (closed) => log.warn({ closed, ...limits }, "connections were closed: too many are open"),
    monotonic,
  );
  const server = await startServer(context, {
    host: settings.host,
    port: settings.port,
    reusePort,
    otherPort: "give another port: --port <number> or NOONMARK_PORT (0 takes any free one).",
    wallClock: () => clock.now(),
    clockSkew: () => clock.skew(),
    limits,
    crowded,
    defect: (error) => logProblem(log, "a request met a defect", error),
  });
  const stopped = askedToStop();
  await announce(server.url, store, settings, at);
  await warnIfUnreadable(context);
  log.info({ signal: await stopped }, "stopping");
  clock.stop();
  reads.stop();
  await server.stop();
}

async function announce(
  url: string,
  { name }: ObjectStore,
  { sharedCacheControl }: Settings,
  at: number | undefined,
): Promise<void> {
  await print([
    `Serving ${name} on ${url}${at === undefined ? "" : ` as of ${formatTimestamp(at)}`}`,
    ...(sharedCacheControl ? ["Cache-Control is for a cache in front of it, which sets the readers' own"] : []),
  ]);
}

/** Warns if the store is missing or unreadable at the start. It may appear later, so this is not a failure. */
async function warnIfUnreadable({ store, report }: ShimContext): Promise<void> {
  const read = () => store.get(INSTALLATIONS_KEY);
  try {
    await read();
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    report?.(error, read);
  }
}
