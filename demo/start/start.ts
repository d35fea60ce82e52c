/**
 * `npm start`: ingests thirty days of a simulated wheel, runs a local chain, publishes into `./.noonmark`, serves it
 * and keeps it live. Each start begins again. Ctrl-C stops.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { parseArgs } from "node:util";
import SqliteDatabase, { type Database } from "better-sqlite3";
import { writeLogKey } from "../../bin/cli/log-key.ts";
import { report } from "../../bin/cli/messages.ts";
import { askedToStop } from "../../bin/cli/signals.ts";
import { Intake } from "../../src/ledger/intake/intake.ts";
import { openLedgerForIntake } from "../../src/ledger/open.ts";
import { plainTargets } from "../../src/resources/contracts.ts";
import { ROUTES } from "../../src/resources/table.ts";
import { Failure } from "../../src/values/failure.ts";
import { NO_ANVIL } from "../chain/anvil.ts";
import { DemoChain } from "../chain/demo-chain.ts";
import { DEMO_INSTALLATION, DEMO_LOG_NAME, DEMO_SEED, type DemoRecord, planOf } from "../history/plan.ts";
import { Wheel } from "../history/wheel.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = ".noonmark";
const CONFIGURATION = join(FOLDER, "noonmark.json");
const TICK_MS = 1_000;
const READY_LIMIT_MS = 60_000;
const POLL_MS = 200;
const STOP_LIMIT_MS = 10_000;

async function start(): Promise<void> {
  const { port, chain: wantsChain } = readArguments();
  if (!existsSync(join(ROOT, "dist/bin/main.js"))) throw new Failure("not_built", "the command line is not built");
  await requireFreePort(port);
  const lock = emptyFolder();
  const now = Date.now();
  const plan = planOf(DEMO_SEED, DEMO_INSTALLATION, now);
  const ledger = openLedgerForIntake(join(FOLDER, "ledger.db"));
  const chain = wantsChain ? await DemoChain.make({ folder: FOLDER, plan, historyEnd: now, now: Date.now }) : undefined;
  try {
    if (chain !== undefined) console.log(`A chain with ${chain.batches} settled batches is on ${chain.rpcUrl}`);
    else console.log(`No chain: onchain, settlements and activity are unavailable. ${NO_ANVIL ?? ""}`);
    await writeLogKey(join(FOLDER, "log.key"), DEMO_LOG_NAME);
    const settings = {
      installationId: plan.installationId,
      ledger: "ledger.db",
      store: "public",
      state: "state",
      logKey: "log.key",
      port,
      genesisTimestamp: plan.genesisMs / 1000,
      ...(chain === undefined ? {} : { deployment: "deployment.json", rpcUrl: chain.rpcUrl }),
    };
    writeFileSync(CONFIGURATION, `${JSON.stringify(settings, null, 2)}\n`);
    const wheel = new Wheel(plan, chain);
    const records = ingest(ledger, wheel.history(now));
    console.log(`A history of 30 days: ${records} records accepted`);
    await serveUntilStopped(port, chain, () => ingest(ledger, wheel.nextLive(Date.now())));
  } finally {
    await chain?.stop();
    ledger.close();
    lock.close();
  }
  console.log("Stopped.");
}

function readArguments(): { port: number; chain: boolean } {
  try {
    const off = { type: "boolean", default: false } as const;
    const { values } = parseArgs({ options: { port: { type: "string" }, "no-chain": off, debug: off } });
    const port = Number(values.port ?? process.env.NOONMARK_PORT ?? "8787");
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error("the port is a number from 1 to 65535");
    return { port, chain: !values["no-chain"] };
  } catch (cause) {
    throw new Failure("usage", (cause as Error).message, { hint: "npm start -- [--port NUMBER] [--no-chain]", cause });
  }
}

async function requireFreePort(port: number): Promise<void> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => server.once("error", reject).listen(port, "127.0.0.1", resolve));
  } catch (cause) {
    const hint = `Stop it, or use another port: npm start -- --port ${port + 1}, or NOONMARK_PORT.`;
    throw new Failure("address_unusable", `another program listens on 127.0.0.1:${port}`, { hint, cause });
  }
  await new Promise((resolve) => server.close(resolve));
}

/** Empties the folder, which only one demo may use, and which only the demo may have made. Returns its lock. */
function emptyFolder(): Database {
  const path = join(FOLDER, "demo.lock");
  if (existsSync(FOLDER) && !existsSync(path)) {
    const hint = "Move it away. The demo deletes what is in its folder.";
    throw new Failure("usage", `${FOLDER} exists but was not created by the demo`, { hint });
  }
  mkdirSync(FOLDER, { recursive: true });
  const lock = new SqliteDatabase(path, { timeout: 0 });
  try {
    lock.pragma("locking_mode = EXCLUSIVE");
    lock.exec("BEGIN EXCLUSIVE; COMMIT");
  } catch (cause) {
    lock.close();
    const hint = "End it with Ctrl-C in its terminal, then start again.";
    throw new Failure("state_locked", `another demo is running on ${path}`, { hint, cause });
  }
  for (const name of readdirSync(FOLDER)) if (name !== "demo.lock") rmSync(join(FOLDER, name), { recursive: true });
  return lock;
}

/** Ingests records as `noonmark ingest` does, and returns their number. */
function ingest(ledger: Database, records: Iterable<DemoRecord>): number {
  let count = 0;
  const intake = new Intake(ledger, {
    onRejected([rejection]) {
      throw new Failure("internal_error", `intake rejected a record of the demo: ${JSON.stringify(rejection)}`);
    },
  });
  for (const record of records) {
    intake.write(Buffer.from(`${JSON.stringify(record)}\n`));
    count++;
  }
  intake.end();
  return count;
}

async function serveUntilStopped(port: number, chain: DemoChain | undefined, feed: () => void): Promise<void> {
  // Closing the terminal stops the demo like Ctrl-C.
  process.once("SIGHUP", () => process.kill(process.pid, "SIGTERM"));
  const failing = Promise.withResolvers<never>();
  const commands = [run("publish", "--publish-log"), run("serve")];
  const ended = Promise.race(commands.map(({ ended }) => ended));
  const over = Promise.race([ended, askedToStop(), failing.promise]);
  const timer = setInterval(() => {
    try {
      feed();
    } catch (error) {
      failing.reject(error);
    }
  }, TICK_MS);
  chain?.follow(failing.reject);
  try {
    const url = `http://127.0.0.1:${port}`;
    if (await Promise.race([isReady(url, chain !== undefined), over.then(() => false)])) invite(url);
    const failure = await over;
    if (failure instanceof Failure) throw failure;
  } finally {
    clearInterval(timer);
    await Promise.all(commands.map(({ child, ended }) => stop(child, ended)));
  }
}

interface Running {
  readonly child: ChildProcess;
  /** Resolves when the command has ended, which it does only if it fails. */
  readonly ended: Promise<Failure>;
}

/** Runs a built `noonmark` command, which writes into a log file. */
function run(name: string, ...flags: readonly string[]): Running {
  const path = join(FOLDER, `${name}.log`);
  const log = openSync(path, "w");
  const guard = ["--import", join(import.meta.dirname, "end-with-parent.ts")];
  // A separate process group: Ctrl-C signals only the demo, which then stops its commands.
  const child = spawn(
    process.execPath,
    [...guard, join(ROOT, "bin/noonmark.js"), name, ...flags, "--config", CONFIGURATION],
    { stdio: ["ignore", log, log, "ipc"], detached: true, env: withoutSettings(process.env) },
  );
  closeSync(log);
  const ended = new Promise<Failure>((resolve) => {
    child.once("exit", () => {
      const last = readFileSync(path, "utf8").trimEnd().split("\n").slice(-5).join("\n");
      resolve(new Failure("demo_failed", `\`noonmark ${name}\` has ended:\n${last}`, { hint: `Its log is ${path}.` }));
    });
  });
  return { child, ended };
}

/** Removes NOONMARK_* variables. They would override the demo's configuration and could point it at a real store. */
function withoutSettings(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith("NOONMARK_")));
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
  await ended;
  clearTimeout(timer);
}

/** Waits until every route responds and, with a chain, no view of it is unavailable. */
async function isReady(url: string, hasChain: boolean): Promise<boolean> {
  const deadline = performance.now() + READY_LIMIT_MS;
  for (const path of targets()) {
    while (performance.now() < deadline) {
      const response = await fetch(url + path).catch(() => undefined);
      const body = response?.ok === true ? ((await response.json()) as { status?: string }) : undefined;
      if (body !== undefined && !(hasChain && body.status === "unavailable")) break;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }
  return true;
}

function targets(): string[] {
  return ROUTES.map((row) => plainTargets(row, DEMO_INSTALLATION)[0] ?? "");
}

function invite(url: string): void {
  const lines = [
    `Ready on ${url}`,
    "",
    "Open or curl:",
    ...["/", ...targets()].map((path) => `  ${url}${path}`),
    "",
    "The status of the publisher:",
    `  npx noonmark status --config ${CONFIGURATION}`,
    "",
    "A receipt arrives every 3 s and a round closes every 10 minutes. Press Ctrl-C to stop.",
  ];
  console.log(lines.join("\n"));
}

start().catch((error: unknown) => {
  process.exitCode = report(error, process.argv.includes("--debug"));
});
