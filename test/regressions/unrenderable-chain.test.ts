/**
 * A node said block times in milliseconds. The publisher ended, and ended again at each start, because the times were
 * stored (docs/spec/chain.md#forms).
 */
import { join } from "node:path";
import SqliteDatabase from "better-sqlite3";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CycleReport } from "../../publish/report.ts";
import { pollUntilConcluded } from "../../src/chain/chain.ts";
import { openChain } from "../../src/chain/open-chain.ts";
import { ingest } from "../ledger/ingest.ts";
import { epoch, receipts } from "../ledger/samples.ts";
import { START, World } from "../publish/world.ts";
import { type Action, SimulatedChain } from "../support/chain/simulated-chain.ts";
import { fetchFrom, SimulatedNode } from "../support/chain/simulated-node.ts";

const VIEWS = [
  "/v4/public/onchain",
  "/v4/public/settlements?range=now",
  "/v3/public/settlements?range=now",
  "/v1/public/activity?category=players",
] as const;
const UNAVAILABLE = VIEWS.map(() => "indexer_unavailable");
const AVAILABLE = VIEWS.map(() => "available");

let world: World;
let chain: SimulatedChain;
let node: SimulatedNode;
beforeEach(() => {
  world = new World();
  world.now = START + 3_600_000;
  ingest(world.ledger, [epoch(), ...receipts(1, 5)]);
  chain = new SimulatedChain(0, START / 1000);
  const settle: Action = { is: "settle", rounds: 16n, activeRounds: 9n, work: 2_500n };
  for (const actions of [[], [], [settle], [{ is: "units", count: 150 } as const]]) grow(actions);
  for (let block = 0; block < 20; block++) grow([]);
  node = new SimulatedNode("http://node.invalid", chain, false);
  vi.stubGlobal(
    "fetch",
    fetchFrom(() => [node]),
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
  world.end();
});

function grow(actions: Action[]): void {
  chain.branch = chain.branch.mined(chain, chain.branch.head.timestamp + 12, actions);
}

const chainFile = () => join(world.folder, "chain.db");
const inMilliseconds: SimulatedNode["lie"] = (result, method) =>
  method === "eth_getBlockByNumber"
    ? { ...result, timestamp: `0x${(Number(result.timestamp) * 1000).toString(16)}` }
    : result;

/** A publisher with its file of the chain. */
async function publisher() {
  const opened = openChain({
    deployment: chain.deployment,
    rpcUrls: [node.url],
    statePath: chainFile(),
    grace: 15_000,
    validity: 600_000,
    now: () => world.now,
    sleep: async () => {},
    random: () => 0.5,
  });
  const worker = await world.work({ chain: opened });
  const cycle = async (): Promise<CycleReport> => {
    await pollUntilConcluded(opened, () => world.now, world.now + 5_000);
    return worker.cycle(world.now);
  };
  return { worker, cycle };
}

/** Each view's status, or why it is unavailable. */
async function statuses(): Promise<string[]> {
  const bodies = await Promise.all(VIEWS.map(async (url) => JSON.parse(await world.body(url))));
  return bodies.map(({ status, reason }) => reason ?? status);
}

const telemetry = async () => JSON.parse(await world.body("/v1/public/telemetry")).observedAt;
const failed = ({ rows }: CycleReport) => rows.flatMap(({ key, action }) => (action === "failed" ? [key] : []));

test("a node with block times in milliseconds costs the chain's views only, until it is right again", async () => {
  const { worker, cycle } = await publisher();
  node.lie = inMilliseconds;
  await cycle();
  world.now += 15_000;
  expect(failed(await cycle())).toEqual([]);
  expect(await statuses()).toEqual(UNAVAILABLE);
  expect(await telemetry()).toBe("2026-11-20T10:00:15.000Z");
  node.lie = (result) => result;
  world.now += 15_000;
  expect(failed(await cycle())).toEqual([]);
  expect(await statuses()).toEqual(AVAILABLE);
  await worker.stop();
});

test("good views stay for the grace when a node begins to say milliseconds", async () => {
  const { worker, cycle } = await publisher();
  await cycle();
  const bodies = await Promise.all(VIEWS.map((url) => world.body(url)));
  node.lie = inMilliseconds;
  for (let block = 0; block < 20; block++) grow([]);
  world.now += 14_000;
  await cycle();
  expect(await Promise.all(VIEWS.map((url) => world.body(url)))).toEqual(bodies);
  world.now += 15_000;
  await cycle();
  // Settlements have saved history.
  expect(await statuses()).toEqual(["indexer_unavailable", "available", "available", "indexer_unavailable"]);
  await worker.stop();
});

/** Makes chain.db what the program stored of a node with times in milliseconds. */
function storeMilliseconds(): void {
  const db = new SqliteDatabase(chainFile());
  // Followers take the events in again.
  db.exec("UPDATE event SET block_timestamp = block_timestamp * 1000; UPDATE sync SET history = history || '+'");
  const snapshot = db.prepare("SELECT snapshot FROM sync").pluck().get() as string;
  const wrong = snapshot.replaceAll(/("(?:blockTimestamp|safeBlockTimestamp|confirmedAt)":\d+)/g, "$1000");
  expect(wrong).not.toBe(snapshot);
  db.prepare("UPDATE sync SET snapshot = ?").run(wrong);
  db.close();
}

/** Reads the chain and closes its file, without publishing. */
async function readChain(): Promise<void> {
  const { worker, cycle } = await publisher();
  await cycle();
  await worker.stop();
  for await (const key of world.store.list("")) await world.store.delete(key);
}

test("a stored time that no body can hold costs its own responses: they are unavailable, and not not_yet_safe", async () => {
  await readChain();
  storeMilliseconds();
  node.fault = "silent";
  const { worker, cycle } = await publisher();
  const report = await cycle();
  expect(await telemetry()).toBe("2026-11-20T10:00:15.000Z");
  expect(await statuses()).toEqual(UNAVAILABLE);
  expect(failed(report)).toContain("v1/public/activity/players");
  expect(failed(report)).not.toContain("v1/public/telemetry");
  await worker.stop();
});
