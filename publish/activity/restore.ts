/**
 * Taking over the activity that was found in the store: it is cut where it was cut, and what would be put again is there
 * already (docs/spec/publishing.md#lost-state). A tile's name ends in the hash of its text, so that nothing is believed.
 */
import { boundsOf, HIGHEST } from "../../src/projections/activity/activity-events.ts";
import type { FoundActivity, FoundCut, FoundTile } from "../../src/projections/activity/found-tiles.ts";
import { replaceGarbage } from "../../src/projections/activity/tile-garbage.ts";
import { TileTree } from "../../src/projections/activity/tile-tree.ts";
import type { StepBudget } from "../../src/projections/step-budget.ts";
import { type CategoryEvents, hashInName, nodeName } from "../../src/resources/activity/tiles/tile-body.ts";

/** In microseconds. */
const COST_OF_A_TILE = 50;

/** Without names as yet. Where the events turn out to be others than were published, a tile is cut anew. */
export function restoreCut(
  { projections, category }: CategoryEvents,
  tree: TileTree,
  { oldestRecent, tiles: newest, indexes }: FoundCut,
  budget: StepBudget,
): void {
  const all = [...newest, ...indexes.flat()];
  const oldest = all.at(-1);
  let below = oldestRecent ?? HIGHEST;

  const insertTile = (tile: FoundTile): { first: string; last: string } | undefined => {
    const inside = boundsOf(projections, category, tile === oldest ? "" : tile.last, below);
    below = tile.last;
    if (inside === undefined) return undefined;
    tree.insert({ level: 1, ...inside, hash: hashInName(tile.name), name: null, todo: "hash" });
    return inside;
  };

  tree.clear();
  for (const tile of newest) insertTile(tile);
  for (const entries of indexes) {
    const inside = entries.flatMap((tile) => insertTile(tile) ?? []);
    const [first, last] = [inside[0]?.first, inside.at(-1)?.last];
    if (first === undefined || last === undefined) continue;
    tree.insert({ level: 2, first, last, hash: null, name: null, todo: null });
  }
  budget.spend(all.length * COST_OF_A_TILE);
}

/** Each tile gets the name under which its text is in the store, and every other name there is garbage. */
export function adoptNames(
  { projections, category }: Pick<CategoryEvents, "projections" | "category">,
  { names, cut }: FoundActivity,
  budget: StepBudget,
): void {
  const tree = new TileTree(projections, category);
  const stored = new Set(names);
  const byHash = new Map(names.map((name) => [hashInName(name), name]));
  // Of several with one text the one that a head leads to: then the index tiles above it need not change either.
  for (const { name } of [...(cut?.tiles ?? []), ...(cut?.indexes.flat() ?? [])]) {
    if (stored.has(name)) byHash.set(hashInName(name), name);
  }
  for (const level of [1, 2] as const) {
    for (const node of tree.between(level, "", HIGHEST)) {
      const name = byHash.get(hashInName(nodeName(tree, node, "")));
      if (name === undefined) continue;
      tree.setStored(node, name);
      stored.delete(name);
    }
  }
  replaceGarbage(projections, category, [...stored]);
  budget.spend(names.length * COST_OF_A_TILE);
}
