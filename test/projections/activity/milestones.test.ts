/** Milestone policy v1 against a naive implementation, for random receipts in steps of any size, some of them late. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readActivityEvents } from "../../../src/projections/activity/activity-events.ts";
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
