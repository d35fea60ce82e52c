/**
 * Cuts the activity into tiles (docs/spec/publishing.md#activity-tiles): per category, tiles of events, and index tiles
 * over them. A new or removed event changes only the tile that covers it. Every tile but the oldest holds at least 99
 * events, so that a page of 100 needs at most two tiles.
 *
 * Each step cuts or hashes one tile, in an order that depends on the tree alone. A process that is killed between two
 * steps continues with the next one and arrives at the same tiles.
 */
import type { Database } from "better-sqlite3";
import { TILE_SIZE } from "../../src/http/keys.ts";
import { oldestKeys, readActivityKeys } from "../../src/projections/activity/activity-events.ts";
import { type TileLevel, type TileNode, TileTree } from "../../src/projections/activity/tile-tree.ts";
import { type Faults, isolated, StepBudget } from "../../src/projections/follow.ts";
import type { ActivityContext } from "../../src/resources/activity/event.ts";
import { CATEGORIES, MINIMUM_TILE_EVENTS, tilesPart } from "../../src/resources/activity/route.ts";
import {
  areTilesCut,
  type CategoryEvents,
  hashOf,
  indexBody,
  tileHash,
  tilesBasis,
} from "../../src/resources/activity/tiles.ts";

/** Estimated cost of a tile (µs). */
const COST_OF_A_TILE = 200;
const COST_OF_A_KEY = 1;
/** Estimated cost of rendering, checking and hashing an event (µs). */
const COST_OF_AN_EVENT = 30;

/**
 * Cuts and hashes tiles until the budget is spent. Returns true while some are left. It puts nothing. An exception costs
 * only its category if there are `faults`.
 */
export function planActivity(
  projections: Database,
  context: ActivityContext,
  budget = new StepBudget(),
  faults?: Faults,
): boolean {
  const due = CATEGORIES.map((category) => ({ projections, category, context })).filter((own) => !areTilesCut(own));
  if (due.length === 0) return false;
  const goesOn = (own: OwnEvents) =>
    isolated(projections, tilesPart(own.category), faults, () => !cutCategory(own, budget));
  return projections.transaction(() => due.some(goesOn))();
}

/** Returns true when the whole category is cut. */
function cutCategory(own: OwnEvents, budget: StepBudget): boolean {
  if (budget.isSpent) return false;
  const { projections, category, context } = own;
  const tree = new TileTree(projections, category);
  tree.begin(tilesBasis(context));
  if (!levelsOf(own, tree).every((level) => cutLevel(level, tree, budget)) || budget.isSpent) return false;
  tree.finishAbove();
  return true;
}

/** The events of a category in the publisher's own projections. */
interface OwnEvents extends CategoryEvents {
  readonly projections: Database;
}

/** One level of a category's tree. */
interface Level {
  readonly level: TileLevel;
  readonly fewest: number;
  /** Keys of children above one key and at or below another, newest first. */
  keys(above: string, through: string): string[];
  /** The oldest children above a key, oldest first. */
  oldestKeys(above: string, most: number): string[];
  /** The key of the oldest event that a child holds. */
  lastOf(key: string): string;
  /** The tile's name. An index tile's name needs the names of all tiles below it. */
  hashOf(tile: TileNode): string;
}

/** Tiles of events, then index tiles. A level is cut after the one below it. */
function levelsOf(own: OwnEvents, tree: TileTree): readonly Level[] {
  const { projections, category } = own;
  const ofEvents: Level = {
    level: 1,
    fewest: MINIMUM_TILE_EVENTS,
    keys: (above, through) => readActivityKeys(projections, category, above, through),
    oldestKeys: (above, most) => oldestKeys(projections, category, above, most),
    lastOf: (key) => key,
    hashOf: (tile) => tileHash(own, tile),
  };
  const ofTiles: Level = {
    level: 2,
    fewest: 1,
    keys: (above, through) => tree.between(1, above, through).map(({ first }) => first),
    oldestKeys: (above, most) => tree.oldest(1, above, most).map(({ first }) => first),
    lastOf: (key) => tree.covering(1, key)?.last ?? key,
    hashOf: (tile) => hashOf(indexBody(tree, tile)),
  };
  return [ofEvents, ofTiles];
}

/**
 * Within the budget: cuts marked tiles again, then full tiles from the oldest events above them. The rest stays in the
 * head. Returns true when done.
 */
function cutLevel(level: Level, tree: TileTree, budget: StepBudget): boolean {
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
  // Too few for a tile between two others: they join the next older tile.
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

function hash(level: Level, tree: TileTree, tile: TileNode, budget: StepBudget): void {
  tree.setHash(tile, level.hashOf(tile));
  budget.spend(TILE_SIZE * COST_OF_AN_EVENT);
}

/** Returns false if there are too few events to fill a tile. */
function cutNext(level: Level, tree: TileTree, budget: StepBudget): boolean {
  const keys = level.oldestKeys(tree.newest(level.level)?.first ?? "", TILE_SIZE);
  if (keys.length < TILE_SIZE) return false;
  insert(level, tree, keys.toReversed());
  budget.spend(COST_OF_A_TILE);
  return true;
}

function insert({ level, lastOf }: Level, tree: TileTree, keys: readonly string[]): void {
  const [first = ""] = keys;
  tree.insert({ level, first, last: lastOf(keys.at(-1) ?? ""), hash: null, todo: "hash" });
  if (level === 1) tree.mustCut(2, first);
}

function remove(tree: TileTree, tile: TileNode): void {
  tree.remove(tile);
  if (tile.level === 1) tree.mustCut(2, tile.first);
}
