/**
 * Deletes tiles that no head names any more (design 1, "What is stored", 5): an hour after the head without them was
 * put, and only while that very head still stands. A crash on the way leaves them for the next cycle.
 */
import type { Database } from "better-sqlite3";
import { activityKey, activityTileKey, type Category } from "../../src/http/keys.ts";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { forgetUnnamed, type UnnamedTile, unnamedTiles } from "../../src/projections/feed-nodes.ts";
import type { Fence } from "../fenced-put.ts";
import type { Published } from "../published.ts";

/** A head may be kept by caches and readers for seconds; this is far beyond. */
const KEPT_MS = 3_600_000;
/** Deletions of one cycle. */
const MOST = 64;

export interface Sweep {
  readonly projections: Database;
  readonly store: ObjectStore;
  readonly fence: Fence;
  readonly published: Published;
}

/** `at` in epoch ms. Without anything due there is no request. */
export async function sweepFeed({ projections, store, fence, published }: Sweep, at: number): Promise<void> {
  const due = unnamedTiles(projections, at, at - KEPT_MS, MOST);
  const categories = new Set(due.map(({ category }) => category));
  for (const category of categories) {
    const known = published.get(activityKey(category));
    const tiles = due.filter((tile) => tile.category === category && isWithout(tile, known?.putAt));
    if (known === undefined || tiles.length === 0) continue;
    const head = await store.get(activityKey(category), { fresh: true });
    if (head?.tag !== known.tag) continue;
    for (const { name } of tiles) await remove(category, name);
  }

  async function remove(category: Category, name: string): Promise<void> {
    await fence.beforePut();
    await store.delete(activityTileKey(category, name));
    forgetUnnamed(projections, category, name);
  }
}

/** Whether the head that stands was put after the tile had gone from the feed. */
function isWithout({ since }: UnnamedTile, headPutAt: number | undefined): boolean {
  return headPutAt !== undefined && headPutAt >= since;
}
