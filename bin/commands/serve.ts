/** `noonmark serve`: the shim over what is published, until it is told to stop. */
import type { Command } from "commander";
import { shimContext } from "../../src/shim/context.ts";
import { hearsFront } from "../../src/shim/node/hears-front.ts";
import { startServer } from "../../src/shim/node/node-server.ts";
import { rareReport } from "../../src/shim/node/rare-report.ts";
import { tickStore } from "../../src/shim/node/tick-store.ts";
import { formatTimestamp } from "../../src/values/timestamp.ts";
import { parseInstant } from "../cli/instant.ts";
import { createLog, logProblem } from "../cli/log.ts";
import { openConfiguredStore } from "../cli/open-configured-store.ts";
import { loadSettings, settingOptions } from "../cli/settings.ts";
import { shimClock } from "../cli/shim-clock.ts";
import { askedToStop } from "../cli/signals.ts";

export function registerServe(program: Command): void {
  const command = program
    .command("serve")
    .description("answer readers from what is published")
    .option("--at <instant>", "stop the clock there: serve what was published as of that instant")
    .action(serve);
  settingOptions(command, ["store", "host", "port", "fronts", "logLevel"]);
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
  const server = await startServer(context, {
    host: settings.host,
    port: settings.port,
    wallClock: () => clock.now(),
    clockSkew: () => clock.skew(),
    hears: hearsFront(settings.fronts),
    defect: (error) => logProblem(log, "a request met a defect", error),
  });
  console.log(`Serving ${store.name} on ${server.url}${at === undefined ? "" : ` as of ${formatTimestamp(at)}`}`);
  console.log(FRONTS[settings.fronts] ?? "Fronts that give the secret may keep its answers");
  const signal = await askedToStop();
  log.info({ signal }, "stopping");
  clock.stop();
  await server.stop();
}
