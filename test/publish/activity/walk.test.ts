/**
 * Every walk, with any limits and with events arriving meanwhile, returns events in order. It returns each earlier
 * event exactly once, and each later event at most once.
 */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ChainEvent } from "../../../src/chain/chain-state.ts";
import { CATEGORIES } from "../../../src/resources/activity/route.ts";
import { AT } from "../../support/chain/chain-state.ts";
import { KINDS } from "./chain-logs.ts";
import { type FeedReceipt, FeedWorld } from "./feed-world.ts";

type Arrival =
  | { readonly kind: "blocks"; readonly logs: readonly number[] }
  | { readonly kind: "receipts"; readonly late: boolean; readonly count: number };

const arrivals: fc.Arbitrary<Arrival[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("blocks" as const), logs: fc.array(fc.nat(3), { maxLength: 40 }) }),
    fc.record({ kind: fc.constant("receipts" as const), late: fc.boolean(), count: fc.integer({ min: 1, max: 12 }) }),
  ),
  { minLength: 1, maxLength: 10 },
);

/**
 * A world that grows by arrivals, with several tiles per category from the start. Every receipt reaches some
 * milestones.
 */
class GrowingWorld extends FeedWorld {
  #block = 101n;
  #receipts = 0;

  constructor() {
    super();
    const logs = Array.from({ length: 40 }, (_, n) => n % 4);
    for (let n = 0; n < 16; n++) {
      this.arrive({ kind: "blocks", logs });
      this.arrive({ kind: "receipts", late: false, count: 10 });
    }
  }

  arrive(arrival: Arrival): void {
    if (arrival.kind === "blocks") this.#mine(arrival.logs);
    else this.#receive(arrival.late, arrival.count);
  }

  #mine(logs: readonly number[]): void {
    const blockNumber = this.#block++;
    const blockTimestamp = AT - 10_000_000 + Number(blockNumber) * 12_000;
    const events = logs.map(
      (kind, logIndex): ChainEvent => (KINDS[kind] ?? KINDS[0])({ blockNumber, logIndex, blockTimestamp }),
    );
    this.mine(events, blockNumber);
  }

  #receive(late: boolean, count: number): void {
    const receipts = Array.from({ length: count }, (): FeedReceipt => {
      const n = ++this.#receipts;
      const observedAt = AT - 10_000_000 + n * 6_000 - (late ? 9_000_000 : 0);
      return { observedAt, epoch: String(n), speed: n * 500, distance: n * 700_000 };
    });
    this.receive(receipts);
  }
}

test.each(CATEGORIES)("a walk of %s returns each event once and in order", async (category) => {
  await fc.assert(
    fc.asyncProperty(
      arrivals,
      arrivals,
      fc.array(fc.integer({ min: 7, max: 100 }), { minLength: 1, maxLength: 5 }),
      async (before, meanwhile, limits) => {
        const world = new GrowingWorld();
        for (const arrival of before) world.arrive(arrival);
        await world.publish();
        const there = (await world.walk(category, [100])).map(({ id }) => id);

        const pending = [...meanwhile];
        const walked = await world.walk(category, limits, async () => {
          const arrival = pending.shift();
          if (arrival === undefined) return;
          world.arrive(arrival);
          await world.publish();
        });
        const ids = walked.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        const known = new Set(there);
        expect(ids.filter((id) => known.has(id))).toEqual(there);

        const after = (await world.walk(category, [100])).map(({ id }) => id);
        const given = new Set(ids);
        world.close();
        // The order must not depend on how tiles are cut.
        expect(after.filter((id) => given.has(id))).toEqual(ids);
        expect(await idsOfNewWorld(category, before, meanwhile.slice(0, meanwhile.length - pending.length))).toEqual(
          after,
        );
      },
    ),
    { numRuns: 5 },
  );
});

/** The activity of a publisher that sees all facts at once. */
async function idsOfNewWorld(category: string, ...arrived: readonly (readonly Arrival[])[]): Promise<string[]> {
  const world = new GrowingWorld();
  for (const arrival of arrived.flat()) world.arrive(arrival);
  await world.publish();
  const ids = (await world.walk(category, [37])).map(({ id }) => id);
  world.close();
  return ids;
}
