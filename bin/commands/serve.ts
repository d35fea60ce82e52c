/** `noonmark serve`: the shim over what is published, until it is told to stop. */
import type { Command } from "commander";
import { INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import { StoreUnavailable } from "../../src/object-store/object-store.ts";
import { type ShimContext, shimContext } from "../../src/shim/context.ts";
import { hearsFront } from "../../src/shim/node/hears-front.ts";
import { connectionsWithin, type ServerLimits } from "../../src/shim/node/limits.ts";
import { startServer } from "../../src/shim/node/node-server.ts";
import { openFilesLimit } from "../../src/shim/node/open-files.ts";
import { rareReport } from "../../src/shim/node/rare-report.ts";
import { tickStore } from "../../src/shim/node/tick-store.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";
import { parseInstant } from "../cli/instant.ts";
import { createLog, logProblem } from "../cli/log.ts";
import { openConfiguredStore } from "../cli/open-configured-store.ts";
import { loadSettings, type Settings, settingOptions } from "../cli/settings.ts";
import { shimClock } from "../cli/shim-clock.ts";
import { askedToStop } from "../cli/signals.ts";

const LIMITS = ["maxConnections", "requestTimeout", "readerTimeout", "keepAliveTimeout"] as const;

export function registerServe(program: Command): void {
  const command = program
    .command("serve")
    .description("answer readers from what is published")
    .option("--at <instant>", "stop the clock there: serve what was published as of that instant")
    .action(serve);
  settingOptions(command, ["store", "host", "port", "fronts", ...LIMITS, "logLevel"]);
}

const FRONTS: Readonly<Record<string, string>> = {
  none: "No front may keep its answers (--fronts none); behind one, give --fronts <secret> or any",
  any: "Any front may keep its answers (--fronts any): nobody else may reach this address",
};

interface ServeFlags extends Record<string, unknown> {
  readonly at?: string;
}

async function serve(flags: ServeFlags): Promise<void> {
  const settings = loadSettings(flags);
  const at = parseInstant(flags.at);
  const log = createLog(settings.logLevel);
  const monotonic = () => performance.now();
  const store = await openConfiguredStore(settings, { write: false });
  const clock = await shimClock(store, log);
  const context = shimContext({
    store: tickStore(store),
    now: () => at ?? clock.now(),
    monotonic,
    report: rareReport((error, before) => logProblem(log, "the store cannot be read", error, { before }), monotonic),
  });
  const limits = limitsOf(settings);
  const crowded = rareReport(
    (_, before) => log.warn({ closed: before + 1, ...limits }, "connections were closed: too many are open, or wait"),
    monotonic,
  );
  const server = await startServer(context, {
    host: settings.host,
    port: settings.port,
    wallClock: () => clock.now(),
    clockSkew: () => clock.skew(),
    hears: hearsFront(settings.fronts),
    limits,
    crowded: () => crowded(undefined),
    defect: (error) => logProblem(log, "a request met a defect", error),
  });
  console.log(`Serving ${store.name} on ${server.url}${at === undefined ? "" : ` as of ${formatTimestamp(at)}`}`);
  console.log(FRONTS[settings.fronts] ?? "Fronts that give the secret may keep its answers");
  await saysWhyUnreadable(context);
  const signal = await askedToStop();
  log.info({ signal }, "stopping");
  clock.stop();
  await server.stop();
}

/** A store that is missing, or closed to us, is said before the first reader meets it. It may come yet: no failure. */
async function saysWhyUnreadable(context: ShimContext): Promise<void> {
  try {
    await context.store.get(INSTALLATIONS_KEY);
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error;
    context.report?.(error);
  }
}

function limitsOf({ maxConnections, requestTimeout, readerTimeout, keepAliveTimeout }: Settings): ServerLimits {
  return {
    maxConnections: maxConnections ?? connectionsWithin(openFilesLimit()),
    requestTimeout: requestTimeout * 1_000,
    readerTimeout: readerTimeout * 1_000,
    keepAliveTimeout: keepAliveTimeout * 1_000,
  };
}
