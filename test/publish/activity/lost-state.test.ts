// After a lost state directory, or a lease held by another publisher meanwhile, a publisher continues the stored
// activity.

import { afterEach, beforeEach, expect, test } from "vitest";
import type { ChainEvent } from "../../../src/chain/chain-state.ts";
import { activityKey, activityTileKey, CATEGORIES } from "../../../src/resources/activity/route.ts";
import { decodeIndexTile, decodeRoot } from "../../../src/resources/activity/stored-activity.ts";
import { raiseWatermark } from "../../support/raise-watermark.ts";
import { START, uuid, type Worker, World } from "../world.ts";
import { KINDS, unitMinted } from "./chain-logs.ts";
import type { FeedBody } from "./feed-world.ts";
import { GrownChain } from "./grown-chain.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A tile as a crash leaves it: stored, but not named by any head. */

let world: World;
let chain: GrownChain;
let now: number;
beforeEach(() => {
  world = new World();
  chain = new GrownChain();
  now = START;
});
afterEach(() => {
  chain.db.close();
  world.end();
});

/** The events of every category, read page by page through the shim. */
async function walk(): Promise<Record<string, string[]>> {
  const feeds: Record<string, string[]> = {};
  for (const category of CATEGORIES) {
    const ids: string[] = [];
    let cursor: string | null = "";
    while (cursor !== null) {
      const query: string = `category=${category}&limit=100${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const body = JSON.parse(await world.body(`/v1/public/activity?${query}`)) as FeedBody;
      expect(body.status).toBe("available");
      ids.push(...body.events.map((event) => JSON.stringify(event)));
      cursor = body.nextCursor;
    }
    feeds[category] = ids;
  }
  return feeds;
}

async function tiles(): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of world.store.list("v1/public/activity/")) if (key.includes("/tiles/")) keys.push(key);
  return keys;
}

/** The tiles that the heads name, in listing order. */
async function reachable(): Promise<string[]> {
  const keys: string[] = [];
  for (const category of CATEGORIES) {
    const text = async (key: string) => new TextDecoder().decode((await world.store.get(key))?.body);
    const head = decodeRoot(await text(activityKey(category)));
    const named = [...(head?.tiles ?? [])];
    for (const index of head?.indexes ?? []) {
      named.push(index, ...decodeIndexTile(await text(activityTileKey(category, index.name))));
    }
    const own = named.map(({ name }) => activityTileKey(category, name));
    const sizes = await Promise.all(own.map(async (key) => (await text(key)).split("\n").length));
    // Event tiles and index tiles must stay below twice the size at which they are cut (128 lines).
    expect(Math.max(0, ...sizes)).toBeLessThan(256);
    keys.push(...own);
  }
  return keys.toSorted();
}

/** Keys of activity tiles that are put while `work` runs. */
async function tilesPut(work: () => Promise<void>): Promise<string[]> {
  world.store.puts.length = 0;
  await work();
  return world.store.puts.filter((key) => key.startsWith("v1/public/activity/") && key.includes("/tiles/"));
}

/**
 * Each receipt has a new counter epoch, so its whole distance counts. Together they reach all milestones, some of them
 * late.
 */
function receiveMilestones(count: number, observedAt: (n: number) => number): void {
  const last = world.ledger.prepare("SELECT coalesce(max(position), 0) FROM receipt").pluck().get() as number;
  world.ledger.transaction(() => {
    world.ledger.exec("INSERT OR IGNORE INTO installation (no, id) VALUES (1, 'wheel-1')");
    const insert = world.ledger.prepare(
      "INSERT INTO receipt VALUES (1, ?, ?, ?, ?, ?, ?, ?, '0', 'simulated', '1', 'ACTIVE', 0, 0, 30000000)",
    );
    for (let n = 1; n <= count; n++) {
      const position = last + n;
      const at = observedAt(n);
      insert.run(position, uuid(position), uuid(1), uuid(position), position, at, at + 250);
    }
    raiseWatermark(world.ledger, 1, "receipt", count);
  })();
}

const mint =
  (count: number, logIndex = 0) =>
  (blockNumber: bigint): ChainEvent[] =>
    Array.from({ length: count }, (_, n) => {
      const make = KINDS[n % KINDS.length] ?? unitMinted;
      return make({ blockNumber, logIndex: logIndex + n });
    });

/** A chain pass one minute later, and a cycle that publishes it. */
async function cycle(worker: Worker, later = MINUTE): Promise<void> {
  now += later;
  chain.pass(now);
  const { rows } = await worker.cycle(now);
  expect(rows.filter(({ action, resource }) => action === "failed" && resource === "activity")).toEqual([]);
}

/** Activity whose middle was cut again, so that cutting from scratch would give other tiles. */
async function publishLong(chainEvents: number): Promise<Worker> {
  const worker = await world.work({ chain });
  const days = (n: number) => START - (400 - n) * 24 * HOUR;
  receiveMilestones(140, (n) => days(n));
  chain.mine(mint(chainEvents));
  await cycle(worker);
  receiveMilestones(30, (n) => days(n * 3) + HOUR);
  await cycle(worker);
  await cycle(worker);
  return worker;
}

test("after a lost state directory no stored tile is put again, and every page stays the same", async () => {
  const worker = await publishLong(17_000);
  const [before, keys] = [await walk(), await tiles()];
  expect(before.measurement?.length).toBeGreaterThan(500);
  expect(keys.length).toBeGreaterThan(260);
  await worker.stop();

  const next = await world.work({ chain, state: "new" });
  const rewrittenTiles = await tilesPut(() => cycle(next));
  expect(rewrittenTiles.filter((key) => keys.includes(key))).toEqual([]);
  expect(await walk()).toEqual(before);
  await cycle(next, HOUR + 1);
  await cycle(next);
  await cycle(next);
  expect(await tiles()).toEqual(await reachable());

  chain.mine(mint(200));
  const put = await tilesPut(() => cycle(next));
  expect(put.length).toBeGreaterThan(0);
  expect(put.length).toBeLessThan(6);
  expect((await walk()).players?.slice(-(before.players?.length ?? 0))).toEqual(before.players);
  await next.stop();
});

test("an unreferenced tile is deleted after an hour, also if the state is lost meanwhile", async () => {
  const worker = await publishLong(300);
  chain.rewind(100n);
  chain.mine(mint(300, 7));
  receiveMilestones(80, (n) => START - (500 - n) * 24 * HOUR);
  await worker.stop();

  const next = await world.work({ chain, state: "new" });
  const old = await reachable();
  // Another program's folder markers are no tiles.
  const list = world.store.list.bind(world.store);
  world.store.list = async function* (prefix) {
    if (prefix.endsWith("/tiles/")) yield prefix;
    yield* list(prefix);
  };
  const put = await tilesPut(() => cycle(next));
  world.store.list = list;
  expect(put.length).toBeGreaterThan(0);
  const feed = await walk();
  await cycle(next, HOUR - 1);
  expect(await tiles()).toEqual(expect.arrayContaining([...old, ...put]));
  await cycle(next, 1);
  expect(await tiles()).toEqual(await reachable());
  expect(old.filter((key) => put.includes(key))).toEqual([]);
  expect(await walk()).toEqual(feed);
  await next.stop();
});
