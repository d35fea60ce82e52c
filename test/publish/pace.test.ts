/**
 * If puts cost money, each key is put at most once per minimum put interval: the first change immediately, the rest
 * together.
 */

import { afterEach, beforeEach, expect, test } from "vitest";
import { INSTALLATION, START, type Worker, World } from "./world.ts";

const INTERVAL = 5_000;
const FIRST = START + 16_000;
const KEYS = [
  "private/log/checkpoint",
  "v1/public/installations/~wheel-1/observations/0",
  "v1/public/telemetry",
  "v4/public/process",
];

let world: World;
let worker: Worker;
beforeEach(async () => {
  world = new World();
  world.receive(5);
  worker = await world.work({ minimumPutInterval: INTERVAL });
  await worker.cycle(FIRST);
});
afterEach(async () => {
  await worker.stop();
  world.end();
});

const putsAt = async (at: number) => {
  const before = world.store.puts.length;
  await worker.cycle(at);
  return world.store.puts
    .slice(before)
    .filter((key) => key !== "private/head.json" && !key.includes("/log/tile/"))
    .toSorted();
};

test("changes within the interval are put together at its end, even without a later change", async () => {
  world.receive(1);
  expect(await putsAt(FIRST + 1_000)).toEqual([]);
  world.receive(1);
  expect(await putsAt(FIRST + 4_999)).toEqual([]);
  expect(worker.publisher.nextDue()).toBe(FIRST + INTERVAL);
  expect(worker.publisher.isIdle(FIRST + 4_999)).toBe(true);
  expect(worker.publisher.isIdle(FIRST + INTERVAL)).toBe(false);
  expect(await putsAt(FIRST + INTERVAL)).toEqual(KEYS);
  const page = JSON.parse(await world.body(`/v1/public/installations/${INSTALLATION}/observations`));
  expect(page.items).toHaveLength(7);
});
