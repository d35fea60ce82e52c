/**
 * Measures a first sync against Ponder on the same node and contracts, in alternating runs. Ponder uses its defaults,
 * which include its own request rate limit. A second Ponder run with a filled RPC cache is timed separately.
 * Installs the Ponder package into a temporary folder, so this bench needs npm and a registry.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NO_ANVIL, startAnvil } from "../../../demo/chain/anvil.ts";
import { deployWorld } from "../../../demo/chain/deploy.ts";
import { fillWithWork } from "../support/chain/chain-fill.ts";
import { type PonderRun, runPonder, writePonderProject } from "../support/chain/ponder-project.ts";
import { sync } from "./chain.bench.ts";

const BLOCKS = 2_000;
const EVENTS = 12_000;
const LIMIT_SECONDS = 360;
/** Exceeds the number of head blocks that Ponder leaves out of its first sync. */
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
    if (median === undefined) throw new Error("no Noonmark sync was timed");
    console.log(`first sync of ${EVENTS} work events over ${BLOCKS} blocks; Ponder's times include process start-up`);
    console.log(
      `Noonmark: ${median.events} events, ${Math.round(median.eventsPerSecond)} per second (median of ${ours.length})`,
    );
    report("Ponder 0.16.10, defaults, cold", cold, median.eventsPerSecond);
    if (cached !== undefined) report("Ponder 0.16.10, defaults, RPC cache filled", cached, median.eventsPerSecond);
  } finally {
    await anvil.stop();
    rmSync(folder, { recursive: true, maxRetries: 5 });
  }
}

function report(name: string, { ready, seconds, events }: PonderRun, ours: number): void {
  const took = `${name}: ${events ?? "unknown"} events, ${ready ? "ready" : "NOT ready"} after ${seconds.toFixed(1)} s`;
  if (events === undefined) throw new Error(took);
  if (ready && events < EVENTS) throw new Error(`${took}: expected at least ${EVENTS}`);
  // If Ponder hits the time limit, its rate counts only the events it has stored so far.
  const rate = events / seconds;
  const ratio = rate === 0 ? "no ratio" : `Noonmark ${(ours / rate).toFixed(1)} ×`;
  console.log(`${took}, ${Math.round(rate)} per second; ${ratio} (at least 10 cold)`);
}
