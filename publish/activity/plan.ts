/** Keeps the activity's tiles in step with its events, whether they are remembered or were found in the store. */
import type { Database } from "better-sqlite3";
import {
  activityChanges,
  forgetChanges,
  HIGHEST,
  newestChange,
} from "../../src/projections/activity/activity-events.ts";
import { forgetFound, foundActivity } from "../../src/projections/activity/found-tiles.ts";
import { TileTree } from "../../src/projections/activity/tile-tree.ts";
import { readTiling, writeTiling } from "../../src/projections/activity/tiling.ts";
import type { ActivityContext } from "../../src/resources/activity/event.ts";
import { CATEGORIES } from "../../src/resources/activity/keys.ts";
import type { CategoryEvents } from "../../src/resources/activity/tiles/tile-body.ts";
import { cutNew, events, recut, tiles } from "./cut.ts";
import { adoptNames, restoreCut } from "./restore.ts";

/**
 * Brings every category's tiles to what the projections hold. Synchronous; idempotent; nothing is put. A category of
 * which neither is known is left: what is in the store is looked up first (`ActivityRecall`).
 */
export function planActivity(projections: Database, context: ActivityContext): void {
  const newest = newestChange(projections);
  const basis = JSON.stringify([context.installationId, context.target, String(context.chainId), context.releaseId]);
  const due = CATEGORIES.filter((category) => {
    const state = readTiling(projections, category);
    const isMoved = state !== undefined && (state.basis !== basis || state.changeNo !== newest);
    return isMoved || foundActivity(projections, category) !== undefined;
  });
  if (due.length === 0) return;
  projections.transaction(() => {
    for (const category of due) planCategory({ projections, category, context }, basis, newest);
    forgetChanges(projections, newest);
  })();
}

function planCategory(own: CategoryEvents, basis: string, newest: number): void {
  const { projections, category } = own;
  const tree = new TileTree(projections, category);
  const levels = [events(own), tiles(tree)] as const;
  const [ofEvents, ofTiles] = levels;
  const state = readTiling(projections, category);
  const found = foundActivity(projections, category);
  let isMoved = true;
  if (found?.cut) {
    restoreCut(levels, tree, found);
  } else if (state?.basis !== basis) {
    for (const { level } of levels) for (const node of tree.between(level, "", HIGHEST)) tree.remove(node);
    for (const children of levels) cutNew(children, tree);
  } else {
    const changes = activityChanges(projections, category, state.changeNo);
    isMoved = changes.length > 0 || found !== undefined;
    const keys = changes.map(({ key }) => key);
    const touched = keys.length > 0 ? recut(ofEvents, tree, keys) : [];
    if (touched.length > 0) recut(ofTiles, tree, touched);
  }
  if (found !== undefined) {
    adoptNames(own, found);
    forgetFound(projections, category);
  }
  writeTiling(projections, category, { basis, changeNo: newest, version: (state?.version ?? 0) + (isMoved ? 1 : 0) });
}
