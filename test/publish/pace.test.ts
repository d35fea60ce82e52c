/**
 * If puts cost money, each key is put at most once per minimum put interval: the first change immediately, the rest
 * together.
 */

import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DueQueue } from "../../publish/pace.ts";
import { raiseWatermark } from "../support/raise-watermark.ts";
import { INSTALLATION, START, type Worker, World } from "./world.ts";

const INTERVAL = 5_000;
const FIRST = START + 16_000;
const KEYS = ["v1/public/installations/~wheel-1/observations/1/0", "v1/public/telemetry", "v4/public/process"];

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
    .filter((key) => key !== "status.json")
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

test("a change after the interval is put immediately", async () => {
  world.receive(1);
  expect(await putsAt(FIRST + INTERVAL)).toEqual(KEYS);
});

test("a tile without new receipts is never due", async () => {
  raiseWatermark(world.ledger, 1, "module", 0);
  expect(await putsAt(FIRST + 1_000)).toEqual([]);
  expect(worker.publisher.nextDue()).toBeGreaterThan(FIRST + INTERVAL);
});

test("each installation has its own interval", async () => {
  world.receive(1);
  world.receive(1, 2, "wheel-2");
  const puts = await putsAt(FIRST + 1_000);
  expect(puts.filter((key) => key.includes("observations"))).toEqual([
    "v1/public/installations/~wheel-2/observations/1/0",
  ]);
});

const step = fc.record({ key: fc.integer({ min: 0, max: 40 }), at: fc.option(fc.nat(100)), now: fc.nat(60) });

test("the due queue returns the same keys as a search over all instants", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
      const queue = new DueQueue();
      const instants = new Map<string, number>();
      for (const { key, at, now } of steps) {
        queue.set(String(key), at ?? undefined);
        if (at === null) instants.delete(String(key));
        else instants.set(String(key), at);
        const isDue = [...instants].filter(([, instant]) => instant <= now).map(([id]) => id);
        // An earlier query may have used a later instant. What was due then is still due.
        expect([...queue.due(now)]).toEqual(expect.arrayContaining(isDue));
        const earliest = instants.size === 0 ? undefined : Math.min(...instants.values());
        expect(queue.next()).toBe(earliest);
      }
    }),
    { numRuns: 200 },
  );
});

test("a key stays due until it gets another instant", () => {
  const queue = new DueQueue();
  queue.set("one", 5);
  queue.set("other", 6);
  expect([...queue.due(5)]).toEqual(["one"]);
  expect([...queue.due(5)]).toEqual(["one"]);
  queue.set("one", 9);
  expect([...queue.due(6)]).toEqual(["other"]);
  queue.set("other", undefined);
  expect([queue.next(), [...queue.due(8)]]).toEqual([9, []]);
});
