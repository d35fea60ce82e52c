/**
 * `npm start` as a user runs it: it becomes ready, and stops on one signal. If it is killed, or its terminal is closed,
 * none of its processes remains.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { NO_ANVIL } from "../../demo/chain/anvil.ts";
import { plainTargets, routeContract } from "../../src/resources/contracts.ts";
import { ROUTES } from "../../src/resources/table.ts";
import { freePort } from "../support/free-port.ts";
import { sharedFolder } from "../support/test-folder.ts";
import { confirmedIn, coreOnChain } from "./demo-chain.ts";

const CHAIN_TARGETS = ROUTES.filter(({ name }) => routeContract(name).tag === "Chain").flatMap((row) =>
  plainTargets(row, "wheel-1"),
);
const ROOT = join(import.meta.dirname, "../..");
const START = join(ROOT, "demo/start/start.ts");
/** A batch that is being settled is on the chain before it is safe, and safe before it is confirmed. */
const SETTLING = { timeout: 200_000, interval: 1_000 };
/** A limit for events that never come. The time until ready depends on the machine. */
const POLL_OPTIONS = { timeout: 200_000 };
/** A process finishes its current work first, and parts of the history are generated without a pause. */
const GONE = { timeout: 120_000, interval: 100 };
const root = sharedFolder();
const folder = folderWithStart("demo");
const HOME = join(folder, ".noonmark");
const started: ChildProcess[] = [];
/** Processes that must be gone. */
const known: number[] = [];

afterAll(() => {
  for (const pid of known.filter(isAlive)) process.kill(pid, "SIGKILL");
  for (const demo of started) if (demo.exitCode === null && demo.signalCode === null) demo.kill("SIGKILL");
});

test("npm start serves, stops, begins again, and leaves no process if its terminal is closed or it is killed", async () => {
  const port = await freePort();
  const first = demoOn(port);
  await first.said(/Ready on/);
  const before = await newestPosition(port);
  expect(before).toBeGreaterThan(84_000);
  const snapshot = (await (await fetch(`http://127.0.0.1:${port}/v4/public/process`)).json()) as {
    measurement: unknown;
  };
  expect(snapshot.measurement).toMatchObject({ freshness: "online", provenance: "simulated" });
  await first.said(/Press Ctrl-C to stop/);
  if (NO_ANVIL === undefined) await vi.waitFor(() => expectChain(port), SETTLING);
  else expect(first.output()).toContain(NO_ANVIL);
  expect(first.output()).toMatch(/A history of 30 days: \d+ records accepted/);

  const rival = demoOn(await freePort());
  expect(await rival.ended).toBe(75);
  expect(rival.output()).toContain("state_locked");

  first.signal("SIGINT");
  expect(await first.ended).toBe(0);
  expect(first.output()).toContain("Stopped.");

  const inTerminal = begin(
    "script",
    ["--quiet", "--command", `npm start -- --port ${port} --no-chain`, "/dev/null"],
    folder,
  );
  await inTerminal.said(/Ready on/);
  expect(inTerminal.output()).toContain("No chain: onchain, settlements and activity are unavailable.");
  for (const path of CHAIN_TARGETS) {
    expect(await bodyOf(port, path), path).toMatchObject({ status: "unavailable", reason: "indexer_disabled" });
  }
  await expectAllGone(inTerminal.process, 3);

  const killed = demoOn(port);
  await killed.said(/Ready on/);
  await expectAllGone(killed.process, NO_ANVIL === undefined ? 4 : 2);
});

/** Every chain view is available, and node, ledger and publication agree on the settled batches. */
async function expectChain(port: number): Promise<void> {
  for (const path of CHAIN_TARGETS) expect(await bodyOf(port, path), path).toMatchObject({ status: "available" });
  const { count, activeRoundCount, completedBlockCount, ...frontier } = confirmedIn(HOME);
  expect(count).toBeGreaterThan(250);
  const { settledThroughRound, cumulativeWork, transactionHash } = frontier;
  expect(await coreOnChain(HOME)).toEqual({ settledThroughRound, cumulativeWork });
  const settlements = (await bodyOf(port, "/v4/public/settlements?range=now")) as { recentSettlements: unknown[] };
  expect(settlements).toMatchObject({
    summary: {
      settlementCount: String(count),
      activeRoundCount: String(activeRoundCount),
      completedBlockCount: String(completedBlockCount),
      workAdded: cumulativeWork,
    },
  });
  expect(settlements.recentSettlements[0]).toMatchObject({ transactionHash, settledThroughRound, cumulativeWork });
  expect(await bodyOf(port, "/v4/public/onchain")).toMatchObject({
    core: { settledThroughRound, cumulativeWork, paused: false },
    implementation: { codeVersion: "2.0.0" },
    governance: { operationKind: "Upgrade", operationState: "Executed" },
  });
  expect(await bodyOf(port, "/v4/public/process")).toMatchObject({
    builder: { status: "available", anchor: { settledThroughRound, cumulativeWork, transactionHash } },
    settlementQueue: { status: "available" },
  });
}

async function bodyOf(port: number, path: string): Promise<unknown> {
  return (await fetch(`http://127.0.0.1:${port}${path}`)).json();
}

/** Makes a folder in which `npm start` is the checkout's. */
function folderWithStart(name: string): string {
  const made = join(root, name);
  mkdirSync(made);
  const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: { start: string } };
  const start = scripts.start.replace("demo/start/start.ts", START);
  writeFileSync(join(made, "package.json"), JSON.stringify({ scripts: { start } }));
  return made;
}

function demoOn(port: number, ...flags: string[]) {
  expect(existsSync(join(ROOT, "dist/bin/main.js")), "run `npm run build` first").toBe(true);
  return begin(process.execPath, [START, "--port", String(port), ...flags], folder);
}

function begin(command: string, args: readonly string[], cwd: string) {
  const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  started.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  return {
    process: child,
    ended,
    output: () => output,
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    said: (words: RegExp) => expect.poll(() => output, POLL_OPTIONS).toMatch(words),
  };
}

/** Kills the process and waits until none of its descendants, of which there are at least `least`, remains. */
async function expectAllGone(child: ChildProcess, least: number): Promise<void> {
  const below = processesBelow(child.pid as number);
  known.push(...below);
  expect(below.length, below.map(commandOf).join("\n")).toBeGreaterThanOrEqual(least);
  child.kill("SIGKILL");
  await expect.poll(() => known.filter(isAlive).map(commandOf), GONE).toEqual([]);
}

async function newestPosition(port: number): Promise<number> {
  const url = `http://127.0.0.1:${port}/v1/public/installations/wheel-1/observations?cursor=`;
  let position = 84_000;
  for (;;) {
    const cursor = Buffer.from(String(position)).toString("base64url");
    const { items } = (await (await fetch(url + cursor)).json()) as { items: readonly unknown[] };
    if (items.length === 0) return position;
    position += items.length;
  }
}

/** Ids of all descendants of a process. */
function processesBelow(pid: number): number[] {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(Number(name)) }));
  const below = (above: number): number[] =>
    parents.filter(({ parent }) => parent === above).flatMap((child) => [child.pid, ...below(child.pid)]);
  return below(pid);
}

/** Undefined if the process has exited or is a zombie. */
function parentOf(pid: number): number | undefined {
  try {
    const [state, parent] = (readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1) ?? "").split(" ");
    return state === "Z" ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

const isAlive = (pid: number) => parentOf(pid) !== undefined;

function commandOf(pid: number): string {
  try {
    return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")}`;
  } catch {
    return `${pid}`;
  }
}
