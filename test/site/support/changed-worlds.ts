/** Worlds with late, missing or unusual data. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Process } from "../../../src/client/create-client.ts";
import { fullWorld, STATUS, type Status, TARGETS } from "./full-world.ts";
import type { World } from "./world.ts";

/** A process body from the API's golden files. */
export function goldenProcess(name: string): Process {
  const path = join(import.meta.dirname, "../../resources/process/golden", `${name}.json`);
  return JSON.parse(readFileSync(path, "utf8")) as Process;
}

export function setProcess(world: World, change: (process: Process) => void): void {
  const process = world.said<Process>(TARGETS.process);
  change(process);
  world.say(TARGETS.process, process);
}

export function setStatus(world: World, change: (status: Status) => void): void {
  const status = structuredClone(STATUS);
  change(status);
  world.say(TARGETS.status, status);
}

/** The largest numbers that the API allows: heights of 64 bits, work of 128. */
export function setLargestNumbers(world: World): void {
  const height = 2n ** 64n - 2n ** 12n;
  const workPerBlock = 10n ** 19n;
  setProcess(world, (process) => {
    if (process.builder.status !== "available") return;
    const { anchor, queued, projected } = process.builder;
    const waiting = BigInt(queued.closedWorkUnits) + BigInt(queued.openRoundWorkUnits);
    const common = { workPerBlock: String(workPerBlock), blockHeight: String(height) };
    Object.assign(anchor, { ...common, currentWork: "5", cumulativeWork: String(height * workPerBlock + 5n) });
    const currentWork = 5n + waiting;
    const none = { completedBlockCount: "0", firstCompletedBlock: null, lastCompletedBlock: null };
    const cumulativeWork = String(height * workPerBlock + currentWork);
    Object.assign(projected, { ...common, ...none, currentWork: String(currentWork), cumulativeWork });
    process.settlementQueue = { status: "unavailable", reason: "round_projection_gap" };
  });
}

/** Every view of the chain gives the same reason. */
export function withoutChain(world: World, reason: string): void {
  for (const target of world.targets()) {
    const range = /\/settlements\?range=(\w+)/.exec(target)?.[1];
    const common = { installationId: "wheel-1", status: "unavailable", reason };
    if (range !== undefined) world.say(target, { schemaVersion: 4, ...common, range });
    if (target.startsWith("/v1/public/activity")) world.say(target, { schemaVersion: 1, ...common });
    if (target === TARGETS.onchain) world.say(target, { schemaVersion: 4, ...common });
  }
}

/** The device has been silent for thirteen hours, the publisher has stopped, and the chain's node does not respond. */
export function deadWorld(): World {
  const world = fullWorld();
  setProcess(world, ({ measurement, settlementQueue, oracle }) => {
    if (measurement === null || settlementQueue.status !== "available" || oracle.latestClosure === null) return;
    Object.assign(measurement, { freshness: "stale", observedAt: SILENT_SINCE, receivedAt: SILENT_SINCE });
    settlementQueue.state = "stale";
    Object.assign(oracle, { state: "stale", latestAcceptedAt: SILENT_SINCE });
    oracle.latestClosure.acceptedAt = SILENT_SINCE;
  });
  setStatus(world, ({ publisher, sources }) => {
    Object.assign(publisher, { state: "stopped", lastCycleAt: "2026-11-22T02:00:00.000Z" });
    sources.chain.status = "silent";
  });
  return world;
}

const SILENT_SINCE = "2026-11-21T14:02:00.000Z";

/** The device is unknown, and there is no chain. */
export function emptyWorld(): World {
  const world = fullWorld();
  world.say(TARGETS.process, goldenProcess("nothing"));
  world.say(TARGETS.telemetry, {
    schemaVersion: 1,
    installationId: "wheel-1",
    revision: null,
    status: "offline",
    observedAt: null,
    receivedAt: null,
    softwareVersion: null,
    measurement: null,
  });
  world.say(TARGETS.modules, { schemaVersion: 1, installationId: "wheel-1", modules: [] });
  withoutChain(world, "indexer_disabled");
  for (const target of [TARGETS.week, TARGETS.month]) world.refuse(target, 503, "public_stats_rebuilding");
  return world;
}
