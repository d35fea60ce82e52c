/** Milestone policy v1 against a naive implementation, for random receipts in steps of any size, some of them late. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readActivityEvents } from "../../../src/projections/activity/activity-events.ts";
import { openProjectionsInMemory } from "../../../src/projections/open.ts";
import { measurementSuffix } from "../../../src/values/activity-key.ts";
import { type FeedReceipt, FeedWorld } from "../../publish/activity/feed-world.ts";
import { naiveMilestones } from "../../publish/activity/second-implementation.ts";
import { AT } from "../../support/chain/chain-state.ts";

const DAY = 86_400_000;

interface Step {
  readonly days: number;
  readonly epoch: string;
  readonly speed: number;
  readonly metres: number;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    days: fc.oneof(fc.constant(0), fc.constant(1), fc.double({ min: -9, max: 3, noNaN: true })),
    epoch: fc.constantFrom("a", "b", "c"),
    speed: fc.oneof(fc.nat(3000), fc.nat(120_000), fc.constantFrom(0, 499, 500, 525, 1000, 100_000, 100_500)),
    metres: fc.oneof(fc.nat(1500), fc.nat(60_000), fc.constantFrom(0, 1000, 42_195, 10_000_000)),
  }),
  { maxLength: 50 },
);

function receiptsOf(given: readonly Step[]): FeedReceipt[] {
  const distances = new Map<string, number>();
  let observedAt = AT - 60 * DAY;
  return given.map(({ days, epoch, speed, metres }) => {
    observedAt += Math.round(days * DAY);
    const distance = (distances.get(epoch) ?? 0) + metres * 1000;
    distances.set(epoch, distance);
    return { observedAt, epoch, speed, distance };
  });
}

function events(world: FeedWorld) {
  return readActivityEvents(world.projections, "measurement", {}).map(({ key, source, payload }) => {
    const { position, observedAt } = JSON.parse(source) as { position: number; observedAt: number };
    return { id: `wheel-1-${position}-${measurementSuffix(key)}`, observedAt, position, payload: JSON.parse(payload) };
  });
}

test("equals the naive implementation, for any order of receipts", () => {
  fc.assert(
    fc.property(steps, fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (given, sizes) => {
      const receipts = receiptsOf(given);
      const world = new FeedWorld();
      for (let from = 0, turn = 0; from < receipts.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 1;
        world.receive(receipts.slice(from, from + size));
        from += size;
        world.followReceipts(7);
      }
      const found = events(world);
      world.close();
      expect(found).toEqual(naiveMilestones(receipts));
    }),
    { numRuns: 100 },
  );
});

const walk = (days: readonly number[]): FeedReceipt[] =>
  days.map((day) => ({ observedAt: AT + day * DAY, epoch: `day ${day}`, speed: 0, distance: 1_000_000 }));
const streaks = (world: FeedWorld) => events(world).flatMap(({ payload }) => payload.days ?? []);

test("a late receipt that fills a gap does not connect anything after it", () => {
  const world = new FeedWorld();
  world.receive(walk([1, 2, 4, 5, 3]));
  world.followReceipts(100);
  expect(streaks(world)).toEqual([3]);
  world.receive(walk([6]));
  world.followReceipts(100);
  expect(streaks(world)).toEqual([3]);
  world.receive(walk([7]));
  world.followReceipts(100);
  expect(streaks(world)).toEqual([7, 3]);
});

test("streaks at each of the counted days, and every year", () => {
  const world = new FeedWorld();
  world.receive(walk(Array.from({ length: 800 }, (_, day) => day)));
  world.followReceipts(100);
  expect(streaks(world)).toEqual([730, 365, 180, 100, 60, 30, 14, 7, 3]);
});

test("noon divides the days", () => {
  const world = new FeedWorld();
  const noon = Date.parse("2026-11-20T12:00:00.000Z");
  world.receive([
    { observedAt: noon - 1, epoch: "a", speed: 0, distance: 999_999 },
    { observedAt: noon, epoch: "a", speed: 0, distance: 1_999_998 },
    { observedAt: noon + DAY - 1, epoch: "a", speed: 0, distance: 1_999_999 },
  ]);
  world.followReceipts(100);
  const daily = events(world).filter(({ payload }) => payload.date !== undefined);
  expect(daily.map(({ payload }) => payload)).toEqual([
    { milestoneMm: 1_000_000, distanceMm: 1_000_000, date: "2026-11-20" },
  ]);
});

test("without a ledger nothing is left", () => {
  const world = new FeedWorld();
  world.receive(walk([1, 2, 3]));
  world.followReceipts(100);
  expect(events(world)).not.toEqual([]);
  world.hasLedger = false;
  world.followReceipts(100);
  expect(events(world)).toEqual([]);
  const empty = openProjectionsInMemory();
  expect(world.projections.prepare("SELECT * FROM milestone_day").all()).toEqual(
    empty.prepare("SELECT * FROM milestone_day").all(),
  );
});
