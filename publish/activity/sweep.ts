/**
 * Deletes tiles that no head names any more (design 1, "What is stored", 5): an hour after the head without them was
 * put, and only while that very head still stands. A crash on the way leaves them for the next cycle.
 */
import type { Database } from "better-sqlite3";
import { decodeHead } from "../../src/http/activity-head.ts";
import { activityKey, activityTileKey, CATEGORIES, type Category } from "../../src/http/keys.ts";
import type { ObjectStore } from "../../src/object-store/object-store.ts";
import { dateUnnamed, forgetUnnamed, isUnnamed, unnamedTiles } from "../../src/projections/activity/feed-nodes.ts";
import type { Fence } from "../lease/fenced-put.ts";
import type { Published } from "../state/published.ts";

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

/** `at` (epoch ms) is the cycle's: a head that was put at that instant names nothing that has gone before. */
export async function sweepFeed({ projections, store, fence, published }: Sweep, at: number): Promise<void> {
  for (const category of CATEGORIES) {
    if (published.get(activityKey(category))?.putAt === at) dateUnnamed(projections, category, at);
  }
  // Without anything due there is no request.
  const due = unnamedTiles(projections, at - KEPT_MS, MOST);
  for (const category of new Set(due.map((tile) => tile.category))) {
    const known = published.get(activityKey(category));
    const head = known && (await store.get(activityKey(category), { fresh: true }));
    if (known === undefined || head?.tag !== known.tag || namesUnnamed(projections, category, head.body)) continue;
    for (const { name } of due.filter((tile) => tile.category === category)) await remove(category, name);
  }

  async function remove(category: Category, name: string): Promise<void> {
    await fence.beforePut();
    await store.delete(activityTileKey(category, name));
    forgetUnnamed(projections, category, name);
  }
}

/** A plan that came after the head was built has taken from the feed what the head names. */
function namesUnnamed(projections: Database, category: Category, body: Uint8Array): boolean {
  const { tiles = [], indexes = [] } = decodeHead(new TextDecoder().decode(body)) ?? {};
  return [...tiles, ...indexes].some(({ name }) => isUnnamed(projections, category, name));
}
