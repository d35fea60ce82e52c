/**
 * Where one level of a category is cut: tiles of events, and index tiles over them by the same rule. What has come or gone
 * touches the tile that covers it and no other. Every tile but the oldest holds at least 99 events, so that a page of 100
 * is at most two of them. One tile at a time is cut or hashed, in an order that the tree gives: whoever goes on after
 * somebody else comes to the same tiles.
 */
import { TILE_SIZE } from "../../src/http/keys.ts";
import { oldestKeys, readActivityKeys } from "../../src/projections/activity/activity-events.ts";
import type { TileLevel, TileNode, TileTodo, TileTree } from "../../src/projections/activity/tile-tree.ts";
import type { StepBudget } from "../../src/projections/step-budget.ts";
import { type CategoryEvents, tileHash } from "../../src/resources/activity/tiles/tile-body.ts";

/** One event of a tile and the next tile whole make a page of 100. */
const FEWEST_EVENTS = 99;

/** In microseconds, as are the next two. */
const COST_OF_A_TILE = 200;
const COST_OF_A_KEY = 1;
/** Its text made, checked and hashed. */
const COST_OF_AN_EVENT = 30;

/** One level of a category's tree, and what it is cut from. */
export interface Level {
  readonly level: TileLevel;
  readonly fewest: number;
  /** What is left to do with a tile of it once it has been cut. */
  readonly todo: TileTodo | null;
  /** The children's keys above one and at or below another, newest first. */
  keys(above: string, through: string): string[];
  /** The oldest of them above one, oldest first. */
  oldestKeys(above: string, most: number): string[];
  /** The key of the oldest event that a child holds. */
  lastOf(key: string): string;
  /** Undefined where the text is known only when all tiles have names. */
  hashOf(tile: TileNode): string | undefined;
}

/** Tiles of events, then index tiles over them: a level is cut when the one before it is. */
export function levelsOf(own: CategoryEvents, tree: TileTree): readonly Level[] {
  const { projections, category } = own;
  const ofEvents: Level = {
    level: 1,
    fewest: FEWEST_EVENTS,
    todo: "hash",
    keys: (above, through) => readActivityKeys(projections, category, above, through),
    oldestKeys: (above, most) => oldestKeys(projections, category, above, most),
    lastOf: (key) => key,
    hashOf: (tile) => tileHash(own, tile),
  };
  const ofTiles: Level = {
    level: 2,
    fewest: 1,
    todo: null,
    keys: (above, through) => tree.between(1, above, through).map(({ first }) => first),
    oldestKeys: (above, most) => tree.oldest(1, above, most).map(({ first }) => first),
    lastOf: (key) => tree.covering(1, key)?.last ?? key,
    hashOf: () => undefined,
  };
  return [ofEvents, ofTiles];
}

/**
 * As far as the budget goes: cuts anew what is to be cut, then full tiles from the oldest of what lies above all of
 * them; the rest stays in the head. Whether all of that is done.
 */
export function cutLevel(level: Level, tree: TileTree, budget: StepBudget): boolean {
  while (!budget.isSpent) {
    const [stale, unhashed] = [tree.next(level.level, "cut"), tree.next(level.level, "hash")];
    if (stale !== undefined) recut(level, tree, stale, budget);
    else if (unhashed !== undefined) hash(level, tree, unhashed, budget);
    else if (!cutNext(level, tree, budget)) return true;
  }
  return false;
}

function recut(level: Level, tree: TileTree, tile: TileNode, budget: StepBudget): void {
  remove(tree, tile);
  let older = tree.olderThan(level.level, tile.first);
  let keys = level.keys(older?.first ?? "", tile.first);
  // Too few to stand between two others: it joins the next older one.
  while (keys.length > 0 && keys.length < level.fewest && older !== undefined) {
    remove(tree, older);
    older = tree.olderThan(level.level, older.first);
    keys = level.keys(older?.first ?? "", tile.first);
  }
  const parts = Math.max(1, Math.floor(keys.length / TILE_SIZE));
  for (let part = 0; part < parts && keys.length > 0; part++) {
    const from = Math.floor((part * keys.length) / parts);
    const to = Math.floor(((part + 1) * keys.length) / parts);
    insert(level, tree, keys.slice(from, to));
  }
  budget.spend((1 + parts) * COST_OF_A_TILE + keys.length * COST_OF_A_KEY);
}

/** One whose name said something else was cut from other events. */
function hash(level: Level, tree: TileTree, tile: TileNode, budget: StepBudget): void {
  const hash = level.hashOf(tile) ?? "";
  if (tile.hash !== null && tile.hash !== hash) tree.mustCut(level.level, tile.first);
  else tree.setHash(tile, hash);
  budget.spend(TILE_SIZE * COST_OF_AN_EVENT);
}

/** False where no tile can be filled. */
function cutNext(level: Level, tree: TileTree, budget: StepBudget): boolean {
  const keys = level.oldestKeys(tree.newest(level.level)?.first ?? "", TILE_SIZE);
  if (keys.length < TILE_SIZE) return false;
  insert(level, tree, keys.toReversed());
  budget.spend(COST_OF_A_TILE);
  return true;
}

function insert({ level, lastOf, todo }: Level, tree: TileTree, keys: readonly string[]): void {
  const [first = ""] = keys;
  tree.insert({ level, first, last: lastOf(keys.at(-1) ?? ""), hash: null, name: null, todo });
  if (level === 1) tree.mustCut(2, first);
}

function remove(tree: TileTree, tile: TileNode): void {
  tree.remove(tile);
  if (tile.level === 1) tree.mustCut(2, tile.first);
}
