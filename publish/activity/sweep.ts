/**
 * Deletes tiles that no head names any more (docs/spec/publishing.md#deletions): an hour after the head without them
 * was put, and only while that very head is still in the store. A crash on the way leaves them for the next cycle.
 */

import type { Database } from "better-sqlite3";
import { dateGarbage, forgetGarbage, garbageTiles, isGarbage } from "../../src/projections/activity/tile-garbage.ts";
import { activityKey, activityTileKey, CATEGORIES, type Category } from "../../src/resources/activity/keys.ts";
import { decodeHead } from "../../src/resources/activity/stored-feed.ts";
import type { Snapshots } from "../../src/resources/snapshot.ts";
import type { PutTarget } from "../puts/put-target.ts";
import type { Published } from "../state/published.ts";

/** A head may be kept by caches and readers for seconds; this is far beyond. */
const KEPT_MS = 3_600_000;
/** Deletions of one cycle. */
const MOST = 64;

export interface Sweep {
  readonly sources: Snapshots;
  readonly target: Pick<PutTarget, "store" | "fence">;
  readonly published: Published;
}

/** `at` (epoch ms) is the cycle's: a head that was put at that instant names nothing that has gone before. */
export async function sweepActivity(
  { sources, target: { store, fence }, published }: Sweep,
  at: number,
): Promise<void> {
  const { snapshot } = sources;
  // Without anything due there is no request.
  const due = snapshot(({ projections }) => {
    for (const category of CATEGORIES) {
      if (published.get(activityKey(category))?.putAt === at) dateGarbage(projections, category, at);
    }
    return garbageTiles(projections, at - KEPT_MS, MOST);
  });
  for (const category of new Set(due.map((tile) => tile.category))) {
    const known = published.get(activityKey(category));
    const head = known && (await store.get(activityKey(category), { fresh: true }));
    if (known === undefined || head?.tag !== known.tag) continue;
    if (snapshot(({ projections }) => namesGarbage(projections, category, head.body))) continue;
    for (const { name } of due.filter((tile) => tile.category === category)) {
      await fence.beforePut();
      await store.delete(activityTileKey(category, name));
      snapshot(({ projections }) => forgetGarbage(projections, category, name));
    }
  }
}

/** A plan that came after the head was built has taken away what the head names. */
function namesGarbage(projections: Database, category: Category, body: Uint8Array): boolean {
  const { tiles = [], indexes = [] } = decodeHead(new TextDecoder().decode(body)) ?? {};
  return [...tiles, ...indexes].some(({ name }) => isGarbage(projections, category, name));
}
