/**
 * `npm start`: ingests thirty days of a simulated wheel, runs a local chain, publishes into a directory, serves it and
 * keeps it live. A second start continues the first; `npm start -- --fresh` starts over; Ctrl-C stops.
 */

import { parseArgs } from "node:util";
import { report } from "../../bin/cli/messages.ts";
import { askedToStop } from "../../bin/cli/signals.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { plainTargets } from "../../src/resources/contracts.ts";
import { ROUTES } from "../../src/resources/table.ts";
import { Failure } from "../../src/values/failure.ts";
import { anvilBinary, NO_ANVIL } from "../chain/anvil.ts";
import { DemoChain } from "../chain/demo-chain.ts";
import { feedHistory, feedLive } from "../feed.ts";
import { type Settlement, simulatedSettlement } from "../history/settlement.ts";
import { Wheel } from "../history/wheel.ts";
import { readWheelState } from "../tail.ts";
import { Command } from "./command.ts";
import { type Home, openHome } from "./home.ts";
import { isReady } from "./ready.ts";
import { requireFreePort } from "./running.ts";

const FOLDER = ".noonmark";
const TICK_MS = 1_000;
const PARENT_CHECK_MS = 500;
/** For a demo that was created with a chain but cannot run one now: nothing is settled until the chain is back. */
const NO_SETTLEMENT: Settlement = { submitted: () => undefined, confirmedAt: () => undefined };

async function start(): Promise<void> {
  const started = performance.now();
  stopWithNpm();
  const { fresh, port, chain: wanted } = readArguments();
  await requireFreePort(port);
  const home = openHome(FOLDER, { fresh, port, now: Date.now(), chain: wanted && anvilBinary() !== undefined });
  const ledger = openLedgerForIntake(home.ledger);
  const state = readWheelState(ledger, home.plan);
  const isFed = state !== undefined && state.at >= home.historyEnd - home.plan.historyStep;
  const chain = await openDemoChain(home, isFed);
  try {
    await home.configure(chain);
    const settlement = home.chain ? (chain?.settlement ?? NO_SETTLEMENT) : simulatedSettlement(home.plan.seed);
    const wheel = new Wheel(home.plan, state === undefined ? { settlement } : { settlement, state });
    if (!isFed) {
      const records = feedHistory(ledger, wheel, home.historyEnd, showProgress);
      console.log(`A history of 30 days: ${records} records accepted into ${home.ledger}`);
    }
    await serveUntilStopped({ started, port, home, chain, feed: () => feedLive(ledger, wheel, Date.now()) });
  } finally {
    await chain?.stop();
    ledger.close();
    home.close();
  }
  console.log("Stopped. `npm start` continues from here.");
}

interface Live {
  /** `performance.now()` at the start. */
  readonly started: number;
  readonly port: number;
  readonly home: Home;
  readonly chain: DemoChain | undefined;
  /** Ingests the records that are due now. */
  feed(): void;
}

async function serveUntilStopped({ started, port, home, chain, feed }: Live): Promise<void> {
  feed();
  // Closing the terminal stops the demo like Ctrl-C.
  process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"));
  const stopping = askedToStop();
  const commands = [["publish", "--publish-log"], ["serve"]].map(
    ([name = "", ...flags]) => new Command(name, { flags, configuration: home.configuration, log: home.logOf(name) }),
  );
  const ended = Promise.race(commands.map(async (command) => (await command.ended, command)));
  const failing = firstFailure();
  const timer = setInterval(() => failing.attempt(feed), TICK_MS);
  chain?.follow(failing.reject);
  try {
    const url = `http://127.0.0.1:${port}`;
    const over = Promise.race([ended, stopping, failing.promise]);
    if (await isReady(url, { chain: chain !== undefined }, over)) {
      console.log(`Ready after ${((performance.now() - started) / 1000).toFixed(1)} s on ${url}`);
      console.log(await invitation(url, home.configuration));
      console.log("\nA receipt arrives every 3 s and a round closes every 10 minutes. Press Ctrl-C to stop.");
    }
    const first = await over;
    if (first instanceof Command) {
      throw new Failure("demo_failed", `\`noonmark ${first.name}\` has ended:\n${first.lastLogLines()}`, {
        hint: `Its log is ${home.logOf(first.name)}.`,
      });
    }
  } finally {
    clearInterval(timer);
    await Promise.all(commands.map((command) => command.stop()));
  }
}

function readArguments(): { fresh: boolean; port: number; chain: boolean } {
  const usage = "npm start -- [--port NUMBER] [--fresh] [--no-chain]";
  try {
    const off = { type: "boolean", default: false } as const;
    const { values } = parseArgs({ options: { port: { type: "string" }, fresh: off, "no-chain": off, debug: off } });
    const port = Number(values.port ?? process.env.NOONMARK_PORT ?? "8787");
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error("the port is a number from 1 to 65535");
    return { fresh: values.fresh, port, chain: !values["no-chain"] };
  } catch (cause) {
    throw new Failure("usage", (cause as Error).message, { hint: usage, cause });
  }
}

/**
 * npm does not tell its script when it is killed, so the demo checks that its parent process is still npm. The npm
 * script must start with `exec`; otherwise the parent is a shell, which outlives npm.
 */
function stopWithNpm(): void {
  if (process.env.npm_lifecycle_event !== "start") return;
  const npm = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(timer);
    process.kill(process.pid, "SIGTERM");
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** Returns undefined if the demo was created without a chain or cannot run one here. */
async function openDemoChain(home: Home, isFed: boolean): Promise<DemoChain | undefined> {
  const started = performance.now();
  const chain = home.chain ? await DemoChain.open({ ...home, folder: FOLDER, isFed, now: Date.now }) : undefined;
  if (chain !== undefined) {
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(
      `A chain of ${chain.blocks} blocks with ${chain.batches} settled batches on ${chain.rpcUrl} (${seconds} s)`,
    );
  } else {
    const why = NO_ANVIL ?? "This demo was created without a chain. To create one with a chain: npm start -- --fresh";
    console.log(`No chain: onchain, settlements and activity are unavailable. ${why}.`);
  }
  return chain;
}

function showProgress(share: number): void {
  if (!process.stdout.isTTY) return;
  process.stdout.write(share < 1 ? `\rGenerating history: ${Math.floor(share * 100)} %` : "\r\u001b[K");
}

start().catch((error: unknown) => {
  process.exitCode = report(error, process.argv.includes("--debug"));
});

/** A promise that rejects with the first failure reported to it. */
interface FirstFailure {
  readonly promise: Promise<never>;
  reject(error: unknown): void;
  attempt(action: () => void): void;
}

function firstFailure(): FirstFailure {
  const { promise, reject } = Promise.withResolvers<never>();
  return {
    promise,
    reject,
    attempt(action) {
      try {
        action();
      } catch (error) {
        reject(error);
      }
    },
  };
}

/** Requests each route once and lists the URLs. `url` has no trailing slash. */
async function invitation(url: string, configuration: string): Promise<string> {
  const lines = ["", "Open or curl:", `  ${url}/`];
  const conditional: string[] = [];
  for (const row of ROUTES) {
    const [path = ""] = plainTargets(row, "wheel-1");
    // Without content coding the ETag is strong, as curl will see it.
    const response = await fetch(url + path, { headers: { "accept-encoding": "identity" } });
    const { status } = response;
    const body = await response.text();
    lines.push(`  ${url}${path}${status === 200 ? "" : `   (${status} ${body})`}`);
    const etag = response.headers.get("etag");
    if (row.conditional && etag !== null && status === 200)
      conditional.push(`  curl -i -H 'If-None-Match: ${etag}' '${url}${path}'`);
  }
  lines.push("", "304 until the response changes (process changes with each receipt):", ...conditional);
  lines.push(
    "",
    "A response rendered from the sources, and the status of the publisher:",
    `  npx noonmark render /v4/public/process --config ${configuration}`,
    `  npx noonmark status --config ${configuration}`,
  );
  return lines.join("\n");
}
