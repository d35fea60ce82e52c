/**
 * Measures the throughput and peak memory of a first chain sync against plain viem getLogs loops over the same ranges.
 * Also measures the round trips and local time of one poll. Ratios are medians of alternating runs.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { NO_ANVIL, startAnvil } from "../../../demo/chain/anvil.ts";
import { deployWorld, type World } from "../../../demo/chain/deploy.ts";
import { deploymentSchema } from "../../../src/chain/deployment.ts";
import { openChain } from "../../../src/chain/open-chain.ts";
import { fillWithWork } from "../support/chain/chain-fill.ts";
import { bareLoop, type Range, storingLoop } from "../support/chain/chain-peer.ts";

const BLOCKS = 20_000;
const EVENTS = 120_000;
const RUNS = 5;

export async function run(): Promise<void> {
  if (NO_ANVIL !== undefined) {
    console.log(`skipped: ${NO_ANVIL}`);
    return;
  }
  const anvil = await startAnvil();
  try {
    const world = await deployWorld(anvil.url);
    await fillWithWork(world, { blocks: BLOCKS, events: EVENTS });
    await firstSync(world);
    await polls(world);
  } finally {
    await anvil.stop();
  }
}

async function firstSync(world: World): Promise<void> {
  const ours: number[] = [];
  const peers: Record<"map" | "stored" | "viem", number[]> = { map: [], stored: [], viem: [] };
  for (let iteration = 0; iteration < RUNS; iteration++) {
    const result = await sync(world);
    ours.push(result.eventsPerSecond);
    if (iteration === 0) {
      console.log(`first sync: ${result.events} events over ${BLOCKS} blocks in ${result.ranges.length} ranges`);
    }
    for (const decoder of ["map", "stored", "viem"] as const) {
      const path = join(mkdtempSync(join(tmpdir(), "noonmark-bench-")), "peer.db");
      const started = performance.now();
      const events = await (decoder === "stored"
        ? storingLoop(world, result.ranges, path)
        : bareLoop(world, result.ranges, decoder));
      peers[decoder].push((events * 1000) / (performance.now() - started));
      rmSync(dirname(path), { recursive: true });
    }
  }
  const counted = countRequests();
  const { ranges } = await sync(world);
  counted.stop();
  const rate = median(ours);
  console.log(`peak resident memory of a syncing process: ${await peakResidentMiB(world)} MiB (at most 350)`);
  console.log(`requests per range: ${(counted.requests / ranges.length).toFixed(2)} (at most 3)`);
  console.log(`events per second: ${Math.round(rate)}`);
  console.log(`against viem getLogs with viem's decoder: ${(rate / median(peers.viem)).toFixed(2)} × (at least 0.8)`);
  console.log(
    `against viem getLogs with a topic0 map, storing events in SQLite: ${(rate / median(peers.stored)).toFixed(2)} × (at least 0.9)`,
  );
  console.log(`against viem getLogs with a topic0 map, storing nothing: ${(rate / median(peers.map)).toFixed(2)} ×`);
}

/** Runs one first sync into an empty database. */
export async function sync(world: World) {
  const directory = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  const ranges: Range[] = [];
  let events = 0;
  let next = BigInt(world.deployment.deploymentBlock);
  const chain = open(world, join(directory, "chain.db"), (range) => {
    ranges.push({ from: next, to: range.through });
    next = range.through + 1n;
    events += range.events;
  });
  try {
    const started = performance.now();
    await chain.poll(Date.now(), Date.now() + 600_000);
    const seconds = (performance.now() - started) / 1000;
    const { core } = chain.state(Date.now());
    if (core.status !== "available") throw new Error(`the sync ended as ${core.reason}`);
    return { ranges, events, eventsPerSecond: events / seconds };
  } finally {
    chain.close();
    rmSync(directory, { recursive: true });
  }
}

/** Peak resident memory of a separate process that runs one first sync. */
async function peakResidentMiB(world: World): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  try {
    const deployment = join(directory, "deployment.json");
    writeFileSync(deployment, JSON.stringify(world.deployment));
    const support = new URL("../support/", import.meta.url).pathname;
    const args = ["--import", `${support}peak-memory.ts`, `${support}sync-process.ts`, deployment, world.url];
    const child = spawn(process.execPath, [...args, join(directory, "chain.db")], {
      stdio: ["ignore", "ignore", "inherit", "pipe"],
    });
    let kilobytes = "";
    child.stdio[3]?.on("data", (chunk) => (kilobytes += chunk));
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`the sync exited with ${code}`);
    return Math.round(Number(kilobytes) / 1024);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function polls(world: World): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
  const chain = open(world, join(directory, "chain.db"), () => undefined);
  try {
    await chain.poll(Date.now(), Date.now() + 600_000);
    const counted = countRequests();
    const idle: Cost[] = [];
    for (let poll = 0; poll < 200; poll++) idle.push(await cost(chain, counted));
    const settled: Cost[] = [];
    for (let batch = 1; batch <= 20; batch++) {
      await world.settle({ throughRound: 16 * batch, activeRoundCount: 9, workUnits: 12_345n });
      await world.mine(11);
      settled.push(await cost(chain, counted));
    }
    counted.stop();
    for (const [name, costs] of Object.entries({ "nothing new": idle, "one settlement": settled })) {
      const requests = Math.max(...costs.map((one) => one.requests));
      const localMs = median(costs.map((one) => one.localMs));
      console.log(`poll, ${name}: ${requests} round trips, ${localMs.toFixed(2)} ms excluding RPC`);
    }
  } finally {
    chain.close();
    rmSync(directory, { recursive: true });
  }
}

interface Cost {
  readonly requests: number;
  /** Elapsed milliseconds minus the time spent waiting for the node. */
  readonly localMs: number;
}

async function cost(chain: ReturnType<typeof openChain>, counted: RequestCount): Promise<Cost> {
  const { requests, waited } = counted;
  const started = performance.now();
  await chain.poll(Date.now(), Date.now() + 60_000);
  const elapsed = performance.now() - started;
  return { requests: counted.requests - requests, localMs: elapsed - (counted.waited - waited) };
}

function open(world: World, statePath: string, onRange: (range: { through: bigint; events: number }) => void) {
  return openChain({
    deployment: deploymentSchema.parse(world.deployment),
    rpcUrls: [world.url],
    statePath,
    grace: 15_000,
    validity: 600_000,
    now: Date.now,
    onEvent(event) {
      if (event.type === "range") onRange(event);
      else if (event.type !== "good") throw new Error(JSON.stringify(event));
    },
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

/** Counts requests through the global fetch and the time elapsed waiting for them. */
interface RequestCount {
  requests: number;
  /** Total ms from sending a request to the end of its response body. Assumes one request at a time. */
  waited: number;
  stop(): void;
}

function countRequests(): RequestCount {
  const real = globalThis.fetch;
  const counted: RequestCount = {
    requests: 0,
    waited: 0,
    stop() {
      globalThis.fetch = real;
    },
  };
  globalThis.fetch = async (input, init) => {
    counted.requests++;
    const started = performance.now();
    const response = await real(input, init);
    const body = await response.arrayBuffer();
    counted.waited += performance.now() - started;
    return new Response(body, { status: response.status, headers: response.headers });
  };
  return counted;
}
