/** Pages of the activity where two of its tiles meet (docs/spec/publishing.md#tiles). */
import { expect, it } from "vitest";
import { encodeResponse, JSON_TYPE } from "../../../src/object-store/stored-response.ts";
import { activityKey, activityTileKey, encodeActivityCursor } from "../../../src/resources/activity/route.ts";
import {
  encodeIndexTile,
  encodeRoot,
  encodeTile,
  type TileEntry,
} from "../../../src/resources/activity/stored-activity.ts";
import { shimContext } from "../../../src/shim/context.ts";
import { respond } from "../../../src/shim/respond.ts";
import { chainEventKey } from "../../../src/values/activity-key.ts";
import { MemoryStore } from "../../support/memory-store.ts";

const NOW = Date.parse("2026-11-20T10:00:00.000Z");
const keyOf = (age: number) =>
  chainEventKey(NOW - age * 1000, { blockNumber: BigInt(1_000_000 - age), transactionIndex: 0, logIndex: 0 });

/**
 * Events are numbered by age, from 1 on. Tiles of these sizes, newest first; all from `indexed` on are in one index
 * tile.
 */
async function stored(sizes: readonly number[], indexed: number): Promise<MemoryStore> {
  const store = new MemoryStore();
  const put = (name: string, text: string) =>
    store.put(activityTileKey("all", name), { body: Buffer.from(text), contentType: JSON_TYPE, metadata: {} });
  let age = 0;
  const entries: TileEntry[] = [];
  for (const [tile, size] of sizes.entries()) {
    const events = Array.from({ length: size }, () => {
      age++;
      return { key: keyOf(age), text: `{"id":"${age}"}` };
    });
    await put(`tile-${tile}`, encodeTile(events));
    entries.push({ name: `tile-${tile}`, last: keyOf(age) });
  }
  const below = entries.slice(indexed);
  await put("index", encodeIndexTile(below));
  const [first, last] = [below[0], below.at(-1)];
  const indexes = first && last ? [{ name: "index", last: last.last, first }] : [];
  const head = encodeRoot({ opening: '{"events":[', recent: [], tiles: entries.slice(0, indexed), indexes });
  const representation = { status: 200, headers: {} };
  const object = encodeResponse({
    representation,
    body: Buffer.from(head),
    successors: [],
    at: NOW,
  });
  await store.put(activityKey("all"), object);
  return store;
}

/** Walks from below an event to the end. Returns the events' numbers. */
async function walked(store: MemoryStore, age: number, limit: number): Promise<number[]> {
  const context = shimContext({ store, now: () => NOW, monotonic: () => 0 });
  const ages: number[] = [];
  for (let cursor: string | null = encodeActivityCursor("all", keyOf(age)); cursor !== null; ) {
    const url = `/v1/public/activity?limit=${limit}&cursor=${cursor}`;
    const { status, body } = await respond({ method: "GET", url }, context);
    const page = JSON.parse(new TextDecoder().decode(body));
    expect([url, status]).toEqual([url, 200]);
    ages.push(...page.events.map(({ id }: { id: string }) => Number(id)));
    cursor = page.nextCursor;
  }
  return ages;
}

it.each([
  { sizes: [128, 99, 128], indexed: 1 },
  { sizes: [128, 99, 128], indexed: 2 },
  { sizes: [128, 99, 128], indexed: 3 },
  { sizes: [128, 99], indexed: 1 },
  { sizes: [128, 99], indexed: 2 },
  { sizes: [128, 128, 99, 128, 128], indexed: 2 },
  { sizes: [99, 99, 99, 99], indexed: 0 },
])("a walk over tiles of $sizes, the last of them from $indexed on in an index tile, comes to the end", async (of) => {
  const store = await stored(of.sizes, of.indexed);
  const all = of.sizes.reduce((sum, size) => sum + size, 0);
  for (const limit of [1, 40, 99, 100]) {
    for (const age of [1, 27, 28, 98, 127, 128, 226, 227, 255]) {
      const expected = Array.from({ length: Math.max(0, all - age) }, (_, index) => age + 1 + index);
      expect([limit, age, await walked(store, age, limit)]).toEqual([limit, age, expected]);
    }
  }
});
