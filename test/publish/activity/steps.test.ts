// Tiles that are cut in short steps equal those of one long step in tree, names and bytes. This holds if the process
// dies after any step, and if the state is lost and only the store shows how they were cut.
import SqliteDatabase from "better-sqlite3";
import fc from "fast-check";
import { expect, test } from "vitest";
import { planActivity } from "../../../publish/plan/activity.ts";
import type { ChainEvent } from "../../../src/chain/chain-state.ts";
import { advanceChainViews } from "../../../src/projections/advance.ts";
import { StepBudget } from "../../../src/projections/follow.ts";
import { openProjectionsInMemory } from "../../../src/projections/open.ts";
import { CATEGORIES } from "../../../src/resources/activity/route.ts";
import { activityContext, activityLayout } from "../../../src/resources/activity/tiles.ts";
import { AT } from "../../support/chain/chain-state.ts";
import { KINDS } from "./chain-logs.ts";
import { FeedWorld } from "./feed-world.ts";

type Arrival =
  | { readonly kind: "blocks"; readonly logs: number }
  | { readonly kind: "receipts"; readonly late: boolean; readonly count: number }
  | { readonly kind: "rewind"; readonly blocks: number; readonly logs: number }
  | { readonly kind: "lost" };

const arrival: fc.Arbitrary<Arrival> = fc.oneof(
  fc.record({ kind: fc.constant("blocks" as const), logs: fc.integer({ min: 1, max: 300 }) }),
  fc.record({ kind: fc.constant("receipts" as const), late: fc.boolean(), count: fc.integer({ min: 1, max: 60 }) }),
  fc.record({
    kind: fc.constant("rewind" as const),
    blocks: fc.integer({ min: 1, max: 12 }),
    logs: fc.integer({ min: 0, max: 400 }),
  }),
  fc.constant({ kind: "lost" as const }),
);
/** Step budgets in microseconds, from one tile to several. */
const budgets = fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 4 });

/** A world of many small blocks, whose categories have several tiles from the start. */
class SteppedWorld extends FeedWorld {
  steps = 0;
  #block = 100n;
  #receipts = 0;
  /** After a rewind, the new chain's logs are at other positions in their blocks. */
  #chains = 0;

  static grown(): SteppedWorld {
    const world = new SteppedWorld();
    world.#mine(500);
    world.#receive(false, 100);
    return world;
  }

  /** Projects with these budgets; the process dies after each step. */
  dieAfterEach(sizes: readonly number[]): this {
    let n = 0;
    this.budget = () => new StepBudget(sizes[n++ % sizes.length]);
    this.afterStep = () => {
      this.steps++;
      const copy = new SqliteDatabase(this.projections.serialize());
      this.projections.close();
      this.projections = copy;
    };
    return this;
  }

  arrive(arrived: Arrival): void {
    if (arrived.kind === "blocks") this.#mine(arrived.logs);
    else if (arrived.kind === "receipts") this.#receive(arrived.late, arrived.count);
    else if (arrived.kind === "rewind") this.#rewind(arrived);
    else this.lose();
  }

  /** Everything except the store. */
  lose(): void {
    this.projections.close();
    this.projections = openProjectionsInMemory();
  }

  /** The stored objects, and `known`. */
  async everything() {
    const objects: Record<string, string> = {};
    for await (const key of this.store.list("")) {
      objects[key] = new TextDecoder().decode((await this.store.get(key))?.body);
    }
    const all = (sql: string) => this.projections.prepare(sql).all();
    return {
      objects,
      nodes: all("SELECT * FROM activity_tile"),
      states: all("SELECT * FROM activity_category"),
    };
  }

  #mine(logs: number): void {
    const first = this.#block;
    const events = Array.from({ length: logs }, (_, n) => this.#log(first + 1n + BigInt(Math.floor(n / 40)), n));
    this.#block = first + BigInt(Math.ceil(logs / 40));
    this.mine(events, this.#block);
  }

  #rewind({ blocks, logs }: { readonly blocks: number; readonly logs: number }): void {
    this.#chains++;
    this.#block = BigInt(Math.max(100, Number(this.#block) - blocks));
    this.rewind(this.#block, [], this.#block);
    this.#mine(logs);
  }

  #log(blockNumber: bigint, n: number): ChainEvent {
    const blockTimestamp = AT - 10_000_000 + Number(blockNumber) * 12_000;
    const make = KINDS[(n * 7) % KINDS.length] ?? KINDS[0];
    return make({ blockNumber, logIndex: (n % 40) + this.#chains * 40, blockTimestamp });
  }

  #receive(late: boolean, count: number): void {
    const receipts = Array.from({ length: count }, () => {
      const n = ++this.#receipts;
      const observedAt = AT - 10_000_000 + n * 6_000 - (late ? 9_000_000 : 0);
      return { observedAt, epoch: String(n), speed: n * 500, distance: n * 700_000 };
    });
    this.receive(receipts);
  }
}

test("short steps with a death after each cut the same tiles, over rewinds, late receipts and lost state", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(arrival, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 }),
      budgets,
      async (cycles, sizes) => {
        const [whole, stepped] = [SteppedWorld.grown(), SteppedWorld.grown().dieAfterEach(sizes)];
        for (const arrivals of [[], ...cycles]) {
          for (const world of [whole, stepped]) {
            for (const arrived of arrivals) world.arrive(arrived);
            await world.publish();
          }
          expect(await stepped.everything()).toEqual(await whole.everything());
        }
        expect(stepped.steps).toBeGreaterThan(5);
        for (const world of [whole, stepped]) world.close();
      },
    ),
    { numRuns: 6 },
  );
});

test("short steps cut the same index tiles, both new and after lost state", async () => {
  const [whole, stepped] = [SteppedWorld.grown(), SteppedWorld.grown().dieAfterEach([400_000, 150_000])];
  const arrivals: Arrival[][] = [
    [{ kind: "blocks", logs: 17_000 }],
    [{ kind: "lost" }, { kind: "receipts", late: true, count: 60 }],
  ];
  for (const cycle of arrivals) {
    for (const world of [whole, stepped]) {
      for (const arrived of cycle) world.arrive(arrived);
      await world.publish();
    }
    const made = await stepped.everything();
    expect(made.nodes.filter((node) => (node as { level: number }).level === 2).length).toBeGreaterThan(0);
    expect(made).toEqual(await whole.everything());
  }
  expect(stepped.steps).toBeGreaterThan(10);
  for (const world of [whole, stepped]) world.close();
});

test("tiles are laid out only after the last of them is cut", () => {
  const world = SteppedWorld.grown();
  const { projections, chain } = world;
  advanceChainViews(projections, world.sources());
  const context = activityContext("wheel-1", chain);
  if (context === undefined) throw new Error("the chain is unavailable");
  const layout = () => CATEGORIES.map((category) => activityLayout({ projections, category, context }));
  for (let steps = 0; planActivity(projections, context, new StepBudget(1)); steps++) {
    expect(layout).toThrow("not all cut");
    expect(steps).toBeLessThan(1000);
  }
  expect(layout()[0]?.tiles.length).toBeGreaterThan(0);
  world.close();
});
