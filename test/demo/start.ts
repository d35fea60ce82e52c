/**
 * `npm start`: thirty days of a simulated wheel through intake, published into a directory, served, and kept live.
 * A second start goes on from the first; `npm start -- --fresh` begins anew; Ctrl-C stops.
 */
import { parseArgs } from "node:util";
import { report } from "../../bin/cli/report-failure.ts";
import { askedToStop } from "../../bin/cli/signals.ts";
import { RANGES } from "../../src/http/keys.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";
import { Command } from "./command.ts";
import { feedHistory, feedLive } from "./feed.ts";
import { openHome } from "./home.ts";
import { invitation } from "./invitation.ts";
import { requireFreePort } from "./running.ts";
import { readWheelState } from "./tail.ts";
import { Wheel } from "./wheel.ts";

const FOLDER = ".noonmark";
const TICK = 1_000;
const READY_WITHIN = 60_000;

async function start(): Promise<void> {
  const begun = performance.now();
  const { fresh, port } = readArguments();
  await requireFreePort(port);
  const home = openHome(FOLDER, { fresh, port, now: Date.now() });
  const ledger = openLedgerForIntake(home.ledger);
  const state = readWheelState(ledger, home.plan);
  // The demo's chain takes its place here: `new Wheel(plan, { settlement })` settles batches wherever it says.
  const wheel = new Wheel(home.plan, state === undefined ? {} : { state });
  if (wheel.at < home.historyEnd - home.plan.historyStep) {
    const records = feedHistory(ledger, wheel, home.historyEnd, showProgress);
    console.log(`A history of 30 days: ${records} records accepted into ${home.ledger}`);
  }
  feedLive(ledger, wheel, Date.now());

  // A terminal that is closed is a Ctrl-C.
  process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"));
  const stopping = askedToStop();
  const commands = ["publish", "serve"].map(
    (name) => new Command(name, { configuration: home.configuration, log: home.logOf(name) }),
  );
  const ended = Promise.race(commands.map(async (command) => (await command.ended, command)));
  const failing = rejectionOf<void>();
  const ticking = setInterval(() => failing.attempt(() => feedLive(ledger, wheel, Date.now())), TICK);
  try {
    const url = `http://127.0.0.1:${port}`;
    const over = Promise.race([ended, stopping, failing.promise]);
    if (await isReady(url, over)) {
      console.log(`Ready after ${((performance.now() - begun) / 1000).toFixed(1)} s on ${url}`);
      console.log(await invitation(url, home.configuration));
      console.log("\nA receipt comes every 3 s, a round every 10 minutes. Ctrl-C stops.");
    }
    const first = await over;
    if (first instanceof Command) {
      throw new Failure("demo_ended", `\`noonmark ${first.name}\` has ended:\n${first.lastWords()}`, {
        exit: EXIT.failed,
        hint: `Its log is ${home.logOf(first.name)}.`,
      });
    }
  } finally {
    clearInterval(ticking);
    await Promise.all(commands.map((command) => command.stop()));
    ledger.close();
    home.close();
  }
  console.log("Stopped. `npm start` goes on from here.");
}

function readArguments(): { fresh: boolean; port: number } {
  const usage = "npm start -- [--port NUMBER] [--fresh]";
  try {
    const { values } = parseArgs({ options: { port: { type: "string" }, fresh: { type: "boolean", default: false } } });
    const port = Number(values.port ?? process.env.NOONMARK_PORT ?? "8787");
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error("the port is a number from 1 to 65535");
    return { fresh: values.fresh, port };
  } catch (cause) {
    throw new Failure("usage", (cause as Error).message, { exit: EXIT.usage, hint: usage, cause });
  }
}

/** Waits until the first answers are published; false where `over` comes first. */
async function isReady(url: string, over: Promise<unknown>): Promise<boolean> {
  const stop = new AbortController();
  over.finally(() => stop.abort()).catch(() => undefined);
  const deadline = performance.now() + READY_WITHIN;
  const observations = "/v1/public/installations/wheel-1/observations";
  const statistics = RANGES.map((range) => `/v2/public/stats?range=${range}`);
  const paths = ["/v1/public/telemetry", "/v1/public/modules", observations, "/v4/public/process", ...statistics];
  for (const path of paths) {
    while (!stop.signal.aborted && performance.now() < deadline) {
      const response = await fetch(url + path).catch(() => undefined);
      await response?.arrayBuffer();
      if (response?.ok === true) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return !stop.signal.aborted;
}

/** A promise that an attempt's failure rejects, whenever it comes. */
function rejectionOf<T>(): { readonly promise: Promise<T>; attempt(action: () => void): void } {
  const { promise, reject } = Promise.withResolvers<T>();
  return {
    promise,
    attempt(action) {
      try {
        action();
      } catch (error) {
        reject(error as Error);
      }
    },
  };
}

function showProgress(share: number): void {
  if (!process.stdout.isTTY) return;
  process.stdout.write(share < 1 ? `\rMaking the history: ${Math.floor(share * 100)} %` : "\r\u001b[K");
}

start().catch((error: unknown) => {
  process.exitCode = report(error, process.argv.includes("--debug"));
});
