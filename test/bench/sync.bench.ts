/**
 * Events a second of a first chain sync, against viem loops over the same ranges that only decode, or also store. Runs
 * alternate.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { NO_ANVIL } from "../../demo/chain/anvil.ts";
import { deploymentSchema } from "../../src/chain/deployment.ts";
import { openChain } from "../../src/chain/open-chain.ts";
import { deployWorld, startAnvil, type World } from "../support/chain/world.ts";
import { bareLoop, fillWithWork, type Range, storingLoop } from "./chain-peer.ts";
import { median } from "./trees.ts";

const BLOCKS = 10_000;
const EVENTS = 60_000;
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
  } finally {
    await anvil.stop();
  }
}

async function firstSync(world: World): Promise<void> {
  const ours: number[] = [];
  const peers: Record<"viem" | "stored", number[]> = { viem: [], stored: [] };
  for (let turn = 0; turn < RUNS; turn++) {
    const result = await sync(world);
    ours.push(result.eventsPerSecond);
    for (const peer of ["viem", "stored"] as const) {
      const folder = mkdtempSync(join(tmpdir(), "noonmark-bench-"));
      const started = performance.now();
      const loop =
        peer === "viem" ? bareLoop(world, result.ranges) : storingLoop(world, result.ranges, join(folder, "peer.db"));
      peers[peer].push(((await loop) * 1000) / (performance.now() - started));
      rmSync(folder, { recursive: true });
    }
  }
  const rate = median(ours);
  console.log(
    `first sync of ${EVENTS} events over ${BLOCKS} blocks: ${Math.round(rate)} events a second (load ${loadavg()[0]?.toFixed(1)})`,
  );
  console.log(`against viem's getLogs and decoder: ${(rate / median(peers.viem)).toFixed(2)} ×`);
  console.log(`against getLogs with a map of topics, into SQLite: ${(rate / median(peers.stored)).toFixed(2)} ×`);
}

/** Runs one first sync into an empty database. */
async function sync(world: World) {
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

function open(world: World, statePath: string, onRange: (range: { through: bigint; events: number }) => void) {
  return openChain({
    deployment: deploymentSchema.parse(world.deployment),
    rpcUrls: [world.url],
    statePath,
    grace: 15_000,
    validity: 600_000,
    now: Date.now,
    onEvent(event) {
      if (event.kind === "range") onRange(event);
      else if (event.kind !== "good") throw new Error(JSON.stringify(event));
    },
  });
}
