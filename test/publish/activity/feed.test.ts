import { expect, test } from "vitest";
import { CATEGORIES } from "../../../src/resources/activity/route.ts";
import { batchEvents } from "../../support/chain/chain-db.ts";
import { AT } from "../../support/chain/chain-state.ts";
import { KINDS, rewardsClaimed, roundReleased, unitMinted, unitsMerged } from "./chain-logs.ts";
import { FeedWorld } from "./feed-world.ts";

const HOUR = 3_600_000;
const BATCH = { block: 110n, time: AT - 20 * HOUR, rounds: 16n, activeRounds: 9n, work: 2500n };

/** One event of every type, with measurement events among the chain's. */
function everything(): FeedWorld {
  const world = new FeedWorld();
  const at = (blockNumber: bigint, hours: number) => ({ blockNumber, logIndex: 1, blockTimestamp: AT - hours * HOUR });
  world.mine(
    [
      ...batchEvents([BATCH]),
      roundReleased(at(111n, 19)),
      unitMinted(at(112n, 18)),
      unitsMerged(at(113n, 17)),
      rewardsClaimed(at(114n, 16)),
    ],
    500n,
  );
  const day = 24 * HOUR;
  world.receive([
    { observedAt: AT - 2 * day - 15 * HOUR, epoch: "a", speed: 480, distance: 1_500_000 },
    { observedAt: AT - day - 15 * HOUR, epoch: "a", speed: 520, distance: 2_700_000 },
    { observedAt: AT - 15 * HOUR, epoch: "a", speed: 400, distance: 3_900_000 },
  ]);
  return world;
}

test.each(CATEGORIES)("the first page of %s equals its golden body", async (category) => {
  const world = everything();
  await world.publish();
  const { status, body } = await world.read(`category=${category}`);
  expect(status).toBe(200);
  await expect(`${JSON.stringify(body, null, 2)}\n`).toMatchFileSnapshot(`golden/${category}.json`);
});

test("the golden bodies contain every type of event", async () => {
  const world = everything();
  await world.publish();
  const { body } = await world.read("category=all");
  expect(new Set(body.events.map(({ type }) => type))).toEqual(new Set(body.activeEventTypes));
});

test("at one instant chain events precede measurement events, and ids descend by code units", async () => {
  const world = new FeedWorld();
  const blockTimestamp = AT - HOUR;
  world.mine(
    [
      unitMinted({ blockNumber: 110n, logIndex: 9, blockTimestamp }),
      roundReleased({ blockNumber: 110n, logIndex: 10, blockTimestamp }),
    ],
    500n,
  );
  world.receive([{ observedAt: blockTimestamp, epoch: "a", speed: 1100, distance: 1_000_000 }]);
  await world.publish();
  const { body } = await world.read("");
  expect(body.events.map(({ id }) => id)).toEqual([
    "31337-110-10",
    "31337-110-9",
    "wheel-1-1-measurement.speed_milestone-500",
    "wheel-1-1-measurement.speed_milestone-1000",
    "wheel-1-1-measurement.lifetime_distance_milestone-1000000",
    "wheel-1-1-measurement.daily_distance_milestone-1000000",
  ]);
});

test("a page reads one head, at most one index tile and at most two tiles, anywhere in a long history", async () => {
  const world = new FeedWorld();
  const events = Array.from({ length: 20_000 }, (_, index) =>
    (KINDS[index % 4] ?? unitMinted)({ blockNumber: 101n + BigInt(Math.floor(index / 50)), logIndex: index % 50 }),
  );
  world.mine(events, 600n);
  await world.publish();
  const { body } = await world.read("limit=100");
  let { nextCursor } = body;
  let pages = 1;
  let indexTiles = 0;
  while (nextCursor !== null) {
    world.store.gets.length = 0;
    const page = await world.read(`limit=100&cursor=${nextCursor}`);
    const tiles = world.store.gets.filter((key) => key.includes("/tiles/"));
    indexTiles += tiles.length > 2 ? 1 : 0;
    expect(world.store.gets.length).toBeLessThanOrEqual(4);
    expect(page.body.events).toHaveLength(Math.min(100, events.length - pages * 100));
    nextCursor = page.body.nextCursor;
    pages++;
  }
  expect(pages).toBe(200);
  expect(indexTiles).toBeGreaterThan(0);
});

test("one new event puts the head of each of its categories, and no tile", async () => {
  const world = new FeedWorld();
  const mint = (block: bigint) => unitMinted({ blockNumber: block, logIndex: 0 });
  world.mine(
    Array.from({ length: 300 }, (_, index) => mint(101n + BigInt(index))),
    450n,
  );
  await world.publish();
  world.mine([mint(451n)], 460n);
  world.store.puts.length = 0;
  await world.publish();
  expect(world.store.puts.filter((key) => key.includes("/tiles/"))).toEqual([]);
});

test("if a tile was deleted after its head was read, the shim reads a fresh head", async () => {
  const world = new FeedWorld();
  const mint = (block: bigint, logIndex = 0) => unitMinted({ blockNumber: block, logIndex });
  world.mine(
    Array.from({ length: 300 }, (_, index) => mint(101n + BigInt(index))),
    450n,
  );
  await world.publish();
  const before = new Set(world.store.puts.filter((key) => key.includes("/tiles/")));
  for (const category of CATEGORIES) world.store.freeze(`v1/public/activity/${category}`);
  world.rewind(
    100n,
    Array.from({ length: 300 }, (_, index) => mint(101n + BigInt(index), 7)),
    450n,
  );
  await world.publish();
  for (const key of before) await world.store.delete(key);
  const { status, body } = await world.read("limit=100&category=players");
  expect(status).toBe(200);
  expect(body.events).toHaveLength(100);
  expect(body.events[99]?.id).toMatch(/-7$/);
});

test("a late event rewrites only the tiles at its position", async () => {
  const world = new FeedWorld();
  const hours = (n: number) => AT - n * HOUR;
  // Each receipt reaches one more speed milestone. 150 of the events belong to a complete day.
  world.receive(
    Array.from({ length: 199 }, (_, n) => ({
      observedAt: hours(900 - n),
      epoch: "a",
      speed: (n + 1) * 500,
      distance: 0,
    })),
  );
  world.receive(
    Array.from({ length: 300 }, (_, n) => ({
      observedAt: hours(600 - n),
      epoch: "b",
      speed: 0,
      distance: 30_000_000 * n,
    })),
  );
  await world.publish();
  world.receive([{ observedAt: hours(899.5), epoch: "late", speed: 0, distance: 1_100_000 }]);
  world.store.puts.length = 0;
  await world.publish();
  const tiles = world.store.puts.filter((key) => key.includes("/tiles/"));
  expect(tiles).toHaveLength(2);
  expect(new Set(tiles).size).toBe(2);
});
