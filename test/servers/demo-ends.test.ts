/** If npm is killed or its terminal is closed, no process of `npm start` remains. */
import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NO_ANVIL } from "../../demo/chain/anvil.ts";
import { freePort } from "../support/free-port.ts";
import { testFolder } from "../support/test-folder.ts";

const ROOT = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: { start: string } };
const POLL_OPTIONS = { timeout: 120_000 };
/** It finishes its current work first, and parts of the history are generated without a pause. */
const GONE = { timeout: 120_000, interval: 100 };

let folder: string;
let started: ChildProcess | undefined;
let known: number[] = [];

beforeEach(async () => {
  folder = testFolder();
  // Runs the checkout's npm script in a temporary folder.
  const start = scripts.start.replace("start/start.ts", `${join(ROOT, "start/start.ts")} --port ${await freePort()}`);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { start } }));
});

afterEach(async () => {
  for (const pid of known.filter(isAlive)) process.kill(pid, "SIGKILL");
  started?.kill("SIGKILL");
});

test.skipIf(NO_ANVIL !== undefined)(
  "no process of npm start remains if npm is killed while its chain is made",
  async () => {
    begin("npm", ["start"]);
    await expect.poll(() => commandsBelow().some((one) => one.includes("anvil")), POLL_OPTIONS).toBe(true);
    await expectAllGone(1);
  },
);

test.skipIf(NO_ANVIL !== undefined)(
  "no process of npm start remains if its terminal is closed while it serves",
  async () => {
    const { output } = begin("script", ["--quiet", "--command", "npm start", "/dev/null"]);
    await expect.poll(output, POLL_OPTIONS).toMatch(/Ready after/);
    await expectAllGone(4);
  },
);

/** Kills the started process and waits until none of its descendants, of which there are more than `least`, remains. */
async function expectAllGone(least: number): Promise<void> {
  known = processesBelow(started?.pid as number);
  expect(known.length, commandsBelow().join("\n")).toBeGreaterThan(least);
  started?.kill("SIGKILL");
  await expect.poll(() => known.filter(isAlive).map(commandOf), GONE).toEqual([]);
}

function begin(command: string, args: readonly string[]): { output: () => string } {
  const child = spawn(command, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  started = child;
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  return { output: () => output };
}

const commandsBelow = () => processesBelow(started?.pid as number).map(commandOf);

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
