/** `npm start` as a user runs it: it becomes ready, stops on one signal, and continues on the next start. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test, vi } from "vitest";
import { NO_ANVIL } from "../../demo/chain/anvil.ts";
import { CHAIN_TARGETS } from "../../start/ready.ts";
import { freePort } from "../support/free-port.ts";
import { confirmedIn, coreOnChain } from "./demo-chain.ts";

const START = join(import.meta.dirname, "../../start/start.ts");
/** A batch that is being settled is on the chain before it is safe, and safe before it is confirmed. */
const SETTLING = { timeout: 200_000, interval: 1_000 };
/** A limit for events that never come. The time until ready depends on the machine. */
const POLL_OPTIONS = { timeout: 200_000 };
const folder = mkdtempSync(join(tmpdir(), "noonmark-demo-"));
const HOME = join(folder, ".noonmark");
const started: ChildProcess[] = [];

afterAll(() => {
  for (const demo of started) if (demo.exitCode === null && demo.signalCode === null) demo.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

test("npm start serves, stops, continues, and leaves no process behind when it is killed", async () => {
  const port = await freePort();
  const first = demoOn(port);
  await first.said(/Ready after/);
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
  expect(first.output()).toMatch(/curl -i -H 'If-None-Match: "[^"]+"' '[^']+stats\?range=7d'/);

  const rival = demoOn(await freePort());
  expect(await rival.ended).toBe(75);
  expect(rival.output()).toContain("demo_running");

  first.signal("SIGINT");
  expect(await first.ended).toBe(0);
  expect(first.output()).toContain("Stopped.");

  const second = demoOn(port);
  await second.said(/Ready after/);
  expect(second.output()).not.toContain("A history");
  expect(await newestPosition(port)).toBeGreaterThanOrEqual(before);
  if (NO_ANVIL === undefined) await vi.waitFor(() => expectChain(port), SETTLING);
  const node = (JSON.parse(readFileSync(join(HOME, "noonmark.json"), "utf8")) as { rpcUrl?: string }).rpcUrl;
  second.signal("SIGKILL");
  await second.ended;
  await expect.poll(() => isListening(`http://127.0.0.1:${port}/healthz`), POLL_OPTIONS).toBe(false);
  if (node !== undefined) await expect.poll(() => isListening(node), POLL_OPTIONS).toBe(false);

  const fresh = demoOn(port, "--fresh", "--no-chain");
  await fresh.said(/Ready after/);
  expect(fresh.output()).toContain("No chain: onchain, settlements and activity are unavailable.");
  for (const path of CHAIN_TARGETS) {
    expect(await bodyOf(port, path), path).toMatchObject({ status: "unavailable", reason: "indexer_disabled" });
  }
  fresh.signal("SIGINT");
  expect(await fresh.ended).toBe(0);
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

function demoOn(port: number, ...flags: string[]) {
  expect(existsSync(join(import.meta.dirname, "../../dist/noonmark.js")), "run `npm run build` first").toBe(true);
  const demo = spawn(process.execPath, [START, "--port", String(port), ...flags], { cwd: folder });
  started.push(demo);
  let output = "";
  for (const stream of [demo.stdout, demo.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  const ended = new Promise<number | null>((resolve) => demo.once("exit", (code) => resolve(code)));
  return {
    ended,
    output: () => output,
    signal: (signal: NodeJS.Signals) => demo.kill(signal),
    said: (words: RegExp) => expect.poll(() => output, POLL_OPTIONS).toMatch(words),
  };
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

async function isListening(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}
