/**
 * Everything that the chain has shown stays, with any later publisher, chain file and node
 * (docs/spec/publishing.md#source-version).
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { CycleReport } from "../../../publish/report.ts";
import { pollUntilConcluded } from "../../../src/chain/chain.ts";
import { openChain } from "../../../src/chain/open-chain.ts";
import { openLedgerForIntake } from "../../../src/ledger/open.ts";
import { StoreUnavailable } from "../../../src/object-store/object-store.ts";
import { openProjections, PROJECTIONS_FILE } from "../../../src/projections/open.ts";
import { ingest } from "../../ledger/ingest.ts";
import { epoch, receipt } from "../../ledger/samples.ts";
import { type Action, SimulatedChain } from "../../support/chain/simulated-chain.ts";
import { fetchFrom, SimulatedNode } from "../../support/chain/simulated-node.ts";
import { storeWithPut } from "../../support/stepped-store.ts";
import { START, type Worker, type WorkOptions, World } from "../world.ts";

let world: World;
let chain: SimulatedChain;
let nodes: SimulatedNode[];
beforeEach(() => {
  world = new World();
  world.now = START + 3_600_000;
  ingest(world.ledger, [epoch(), receipt(1), receipt(2)]);
  chain = new SimulatedChain(0, START / 1000);
  // The contracts are deployed.
  grow(2);
  nodes = [0, 1].map((node) => new SimulatedNode(`http://node-${node}.invalid`, chain, true));
  vi.stubGlobal(
    "fetch",
    fetchFrom(() => nodes),
  );
});
afterEach(() => {
  vi.unstubAllGlobals();
  world.end();
});

const ONCHAIN = "/v4/public/onchain";
const SETTLEMENTS = "/v4/public/settlements?range=now";
const PLAYERS = "/v1/public/activity?category=players";
const settle: Action = { is: "settle", rounds: 16n, activeRounds: 9n, work: 2_500n };

const now = () => world.now;
const body = async (url: string) => JSON.parse(await world.body(url));
const codes = ({ failures }: CycleReport) => failures.map(({ code }) => code);

/** Adds this many blocks, with these actions in the first one. */
function grow(blocks: number, ...actions: Action[]): void {
  for (let block = 0; block < blocks; block++) {
    chain.branch = chain.branch.mined(chain, chain.branch.head.timestamp + 12, block === 0 ? actions : []);
  }
}

/** All nodes follow a fork that starts at a block. Each of its blocks has the action. */
function fork(from: number, blocks: number, action: Action, ...followers: readonly SimulatedNode[]): void {
  let branch = chain.branch.cut(from);
  for (let block = 0; block < blocks; block++) branch = branch.mined(chain, branch.head.timestamp + 12, [action]);
  for (const node of followers) node.fork = branch;
}

const fileOf = (name: string) => join(world.folder, `${name}.db`);

interface Publishing extends Omit<WorkOptions, "chain"> {
  /** The chain's file. */
  readonly file?: string;
}

/** A publisher, with one pass and one cycle. `between` runs after the pass. */
async function publisher({ file = "chain", ...options }: Publishing = {}) {
  const opened = openChain({
    deployment: chain.deployment,
    rpcUrls: nodes.map(({ url }) => url),
    statePath: fileOf(file),
    grace: 15_000,
    validity: 600_000,
    now,
    sleep: async (ms) => void (world.now += ms),
    random: () => 0.5,
  });
  const worker: Worker = await world.work({ ...options, chain: opened });
  const cycle = async (between = () => {}): Promise<CycleReport> => {
    await pollUntilConcluded(opened, now, world.now + 10_000);
    between();
    return worker.cycle(world.now);
  };
  return { worker, cycle };
}

/** One cycle of a publisher that then ends. */
async function publish(options: Publishing = {}): Promise<CycleReport> {
  const { worker, cycle } = await publisher(options);
  const report = await cycle();
  await worker.stop();
  return report;
}

/** A publisher whose nodes do not respond for longer than the grace. A receipt arrives meanwhile. */
async function publishInSilence(options: Publishing = {}): Promise<void> {
  for (const node of nodes) node.fault = "silent";
  const { worker, cycle } = await publisher(options);
  await cycle();
  world.now += 20_000;
  await worker.publisher.renewIfDue();
  ingest(world.ledger, [receipt(3)]);
  await cycle();
  await worker.stop();
}

test("after chain.db was deleted, a fork that has outgrown what was published is rejected", async () => {
  grow(40, settle);
  await publish();
  const published = await body(ONCHAIN);
  fork(12, 60, settle, ...nodes);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(fileOf("chain") + suffix, { force: true });
  const { worker, cycle } = await publisher();
  for (const n of [3, 4]) {
    world.now += 1_000;
    // Process is put with the published anchor, which proves nothing about the fork.
    ingest(world.ledger, [receipt(n)]);
    expect(codes(await cycle())).toEqual(["chain_behind"]);
    expect(await body(ONCHAIN)).toEqual(published);
  }
  await worker.stop();
});

test("saved history is what was published last, even if that put's confirmation was lost", async () => {
  grow(40, settle);
  await publish();
  grow(20, settle);
  const lossy = storeWithPut(world.store, async (key, object, condition) => {
    const tag = await world.store.put(key, object, condition);
    if (key.includes("settlements")) throw new StoreUnavailable(`${key}: the response was lost`);
    return tag;
  });
  const { worker, cycle } = await publisher({ store: lossy });
  for (let tries = 0; tries < 12; tries++) await cycle().catch(() => undefined);
  worker.kill();
  const published = await body(SETTLEMENTS);
  expect(published.summary.settlementCount).toBe("2");
  await publishInSilence();
  expect(await body(SETTLEMENTS)).toEqual(published);
});

test("while the ledger is rejected, chain views that need no facts continue, with every event", async () => {
  grow(40, settle);
  const ledgerPath = join(world.folder, "behind.db");
  const behind = openLedgerForIntake(ledgerPath);
  ingest(behind, [epoch(), receipt(1)]);
  behind.close();
  await publish();
  grow(20, settle, { is: "units", count: 2 });
  world.now += 1_000;
  expect(codes(await publish({ ledgerPath }))).toEqual(["ledger_behind"]);
  expect((await body(SETTLEMENTS)).summary.settlementCount).toBe("2");
  const { chain: point, events } = await body(PLAYERS);
  expect([point.safeThroughBlock, events.length]).toEqual(["51", 2]);
});

test("a fork that contradicts one published view is rejected for every view, even for those that it continues", async () => {
  grow(20, settle);
  await publish();
  const published = await body(SETTLEMENTS);
  grow(20);
  const safe = Number(
    (await publishedOnchain({ publications: (all) => all.filter(({ resource }) => resource === "onchain") }))
      .safeThroughBlock,
  );
  fork(safe - 5, 60, settle, ...nodes);
  const report = await publish({ file: "lost", state: "lost" });
  expect(codes(report)).toEqual(["chain_behind"]);
  expect(await body(SETTLEMENTS)).toEqual(published);
  for (const node of nodes) node.fork = undefined;
  grow(80, settle);
  expect(codes(await publish({ file: "right", state: "right" }))).toEqual([]);
  expect(await body(SETTLEMENTS)).not.toEqual(published);
});

async function publishedOnchain(options: Publishing): Promise<{ readonly safeThroughBlock: string }> {
  await publish(options);
  return (await body(ONCHAIN)).chain;
}

test("saved history is read back from the store after the projections were replaced", async () => {
  grow(40, settle);
  const { worker, cycle } = await publisher();
  await cycle();
  const published = await body(SETTLEMENTS);
  for (const node of nodes) node.fault = "silent";
  await cycle();
  const file = join(world.folder, "state", PROJECTIONS_FILE);
  for (const suffix of ["", "-wal", "-shm"]) rmSync(file + suffix, { force: true });
  openProjections(file).close();
  world.now += 20_000;
  await worker.publisher.renewIfDue();
  await cycle();
  const { headers } = await world.read(SETTLEMENTS);
  expect(headers["x-service-settlement-source"]).toBe("durable-cache");
  expect(await body(SETTLEMENTS)).toEqual(published);
  await worker.stop();
});
