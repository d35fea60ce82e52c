import { expect, test } from "vitest";
import { sweepActivity } from "../../../publish/activity/sweep.ts";
import { Published } from "../../../publish/state/published.ts";
import type { Snapshot } from "../../../src/resources/snapshot.ts";
import { AT } from "../../support/chain/chain-state.ts";
import { unitMinted } from "./chain-logs.ts";
import { FeedWorld } from "./feed-world.ts";

const HOUR = 3_600_000;
const HEAD = "v1/public/activity/players";

async function remember(world: FeedWorld, published: Published, putAt: number): Promise<void> {
  for (const key of [HEAD, "v1/public/activity/all"]) {
    const tag = (await world.store.get(key))?.tag ?? "";
    published.remember({ key, tag, states: [], asof: { at: putAt }, status: 200, bytes: 0, etag: null, putAt });
  }
}

async function tilesOf(world: FeedWorld): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of world.store.list("v1/public/activity/")) if (key.includes("/tiles/")) keys.push(key);
  return keys;
}

test("tiles go an hour after the head without them was put, and only while that head stands", async () => {
  const world = new FeedWorld();
  const mint = (logIndex: number) => (_: unknown, n: number) => unitMinted({ blockNumber: 101n + BigInt(n), logIndex });
  world.mine(Array.from({ length: 130 }, mint(0)), 300n);
  await world.publish();
  const before = await tilesOf(world);
  expect(before).toHaveLength(2);
  world.rewind(100n, Array.from({ length: 130 }, mint(1)), 300n);
  await world.publish();

  const published = Published.inMemory();
  let lease = true;
  const fence = {
    raiseAbove: async () => {},
    epoch: 1,
    writer: "test",
    beforePut: async () => {
      if (!lease) throw new Error("the lease is over");
    },
  };
  const sources = { snapshot: <T>(use: (snapshot: Snapshot) => T) => use(world.sources()) };
  const sweep = (at: number) => sweepActivity({ sources, target: { store: world.store, fence }, published }, at);
  // Heads that were put before the tiles had gone say nothing.
  await remember(world, published, AT - 1);
  await sweep(AT);
  await sweep(AT + HOUR);
  expect(await tilesOf(world)).toHaveLength(4);

  await remember(world, published, AT);
  await sweep(AT);
  await sweep(AT + HOUR - 1);
  expect(await tilesOf(world)).toHaveLength(4);

  // Another head stands: it may name what we have forgotten.
  const head = await world.store.get(HEAD);
  if (head !== undefined)
    await world.store.put(HEAD, { body: head.body, contentType: head.contentType, metadata: head.metadata });
  await sweep(AT + HOUR);
  expect((await tilesOf(world)).filter((key) => before.includes(key))).toEqual(
    before.filter((key) => key.startsWith(HEAD)),
  );

  await remember(world, published, AT);
  lease = false;
  await expect(sweep(AT + HOUR)).rejects.toThrow("the lease is over");
  lease = true;
  await sweep(AT + HOUR);
  const left = await tilesOf(world);
  expect(left).toHaveLength(2);
  expect(left.filter((key) => before.includes(key))).toEqual([]);
  world.store.gets.length = 0;
  await sweep(AT + 2 * HOUR);
  expect(world.store.gets).toEqual([]);
});
