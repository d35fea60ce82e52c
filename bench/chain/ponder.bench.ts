/**
 * A first sync beside Ponder's (issue 5, Speed), on the same node and contracts in one run, in alternating turns.
 * Ponder has its defaults, with which it limits its own requests a second; what it has cached is timed apart.
 * Its package is installed into a temporary folder: this bench needs npm and a registry.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NO_ANVIL, startAnvil } from "../../demo/chain/anvil.ts";
import { deployWorld } from "../../demo/chain/deploy.ts";
import { sync } from "./chain.bench.ts";
import { fillWithWork } from "../support/chain/chain-fill.ts";
import { type PonderRun, runPonder, writePonderProject } from "../support/chain/ponder-project.ts";

const BLOCKS = 2_000;
const EVENTS = 12_000;
const LIMIT_SECONDS = 360;
/** More than the blocks at the head that Ponder holds back from its first sync. */
const BLOCKS_ABOVE = 80;

export async function run(): Promise<void> {
  if (NO_ANVIL !== undefined) {
    console.log(`skipped: ${NO_ANVIL}`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "noonmark-ponder-"));
  const anvil = await startAnvil();
  try {
    const world = await deployWorld(anvil.url);
    await fillWithWork(world, { blocks: BLOCKS, events: EVENTS });
    await world.mine(BLOCKS_ABOVE);
    writePonderProject(folder, world);
    const ours = [await sync(world)];
    const cold = await runPonder(folder, "cold", LIMIT_SECONDS);
    ours.push(await sync(world));
    const cached = cold.ready ? await runPonder(folder, "cached", LIMIT_SECONDS) : undefined;
    ours.push(await sync(world));
    const [, median] = ours.toSorted((a, b) => a.eventsPerSecond - b.eventsPerSecond);
    if (median === undefined) throw new Error("no sync of ours was timed");
    console.log(
      `first sync of ${EVENTS} events of work over ${BLOCKS} blocks, each process's start counted for Ponder`,
    );
    console.log(
      `ours: ${median.events} events, ${Math.round(median.eventsPerSecond)} a second (median of ${ours.length})`,
    );
    report("Ponder 0.16.10, defaults, cold", cold, median.eventsPerSecond);
    if (cached !== undefined) report("Ponder 0.16.10, defaults, its RPC cache filled", cached, median.eventsPerSecond);
  } finally {
    await anvil.stop();
    rmSync(folder, { recursive: true, maxRetries: 5 });
  }
}

function report(name: string, { ready, seconds, events }: PonderRun, ours: number): void {
  const took = `${name}: ${events ?? "unknown"} events, ${ready ? "ready" : "NOT ready"} after ${seconds.toFixed(1)} s`;
  if (events === undefined) throw new Error(took);
  if (ready && events < EVENTS) throw new Error(`${took}: fewer than the chain has`);
  // If it is not ready, the rest of the sync is not timed: its rate is that of its stored events.
  const rate = events / seconds;
  const ratio = rate === 0 ? "no ratio" : `ours ${(ours / rate).toFixed(1)} ×`;
  console.log(`${took}, ${Math.round(rate)} a second; ${ratio} (at least 10 cold)`);
}
