/**
 * Where one level of a category is cut: tiles of events, and index tiles over them by the same rule. What has come or gone
 * touches the tile that covers it and no other. Every tile but the oldest holds at least 99 events, so that a page of 100
 * is at most two of them.
 */
import { TILE_SIZE } from "../../src/http/keys.ts";
import { boundsOf, HIGHEST, readActivityKeys } from "../../src/projections/activity/activity-events.ts";
import type { TileLevel, TileTree } from "../../src/projections/activity/tile-tree.ts";
import { type CategoryEvents, tileHash } from "../../src/resources/activity/tiles/tile-body.ts";

/** One event of a tile and the next tile whole make a page of 100. */
const FEWEST_EVENTS = 99;

/** What a level is cut from. */
export interface Children {
  readonly level: TileLevel;
  readonly fewest: number;
  /** Their keys above one and at or below another, newest first. */
  keys(above: string, through: string): string[];
  /** The key of the oldest event that a child holds. */
  lastOf(key: string): string;
  hashOf(first: string, last: string): string | null;
}

/** The events themselves, of which tiles are cut. */
export interface EventChildren extends Children {
  /** The newest and the oldest key at or above one and below another; undefined where there is none. */
  bounds(from: string, below: string): { readonly first: string; readonly last: string } | undefined;
}

export function events(own: CategoryEvents): EventChildren {
  const { projections, category } = own;
  return {
    level: 1,
    fewest: FEWEST_EVENTS,
    keys: (above, through) => readActivityKeys(projections, category, above, through),
    lastOf: (key) => key,
    hashOf: (first, last) => tileHash(own, { first, last }),
    bounds: (from, below) => boundsOf(projections, category, from, below),
  };
}

export function tiles(tree: TileTree): Children {
  return {
    level: 2,
    fewest: 1,
    keys: (above, through) => tree.between(1, above, through).map(({ first }) => first),
    lastOf: (key) => tree.covering(1, key)?.last ?? key,
    // It names its tiles, so its text is known only when they have names.
    hashOf: () => null,
  };
}

/**
 * Cuts anew what covers the touched keys, then what has no tile yet. Gives the keys of its own tiles that came or went,
 * for the level above.
 */
export function recut(children: Children, tree: TileTree, touched: readonly string[]): string[] {
  const changed: string[] = [];
  const dirty = new Set<string>();
  for (const key of touched) {
    const first = tree.covering(children.level, key)?.first;
    if (first !== undefined) dirty.add(first);
  }
  for (const first of [...dirty].sort()) changed.push(...recutOne(children, tree, first));
  return [...changed, ...cutNew(children, tree)];
}

/** Cuts full tiles from the oldest of what lies above all of them; the rest stays in the head. */
export function cutNew(children: Children, tree: TileTree): string[] {
  const keys = children.keys(tree.newest(children.level)?.first ?? "", HIGHEST);
  const changed: string[] = [];
  for (let end = keys.length; end >= TILE_SIZE; end -= TILE_SIZE) {
    changed.push(insert(children, tree, keys.slice(end - TILE_SIZE, end)));
  }
  return changed;
}

function recutOne(children: Children, tree: TileTree, first: string): string[] {
  const { level, fewest } = children;
  const tile = tree.covering(level, first);
  if (tile?.first !== first) return [];
  const changed = [first];
  tree.remove(tile);
  let older = tree.olderThan(level, first);
  let keys = children.keys(older?.first ?? "", first);
  // Too few to stand between two others: it joins the next older one.
  while (keys.length > 0 && keys.length < fewest && older !== undefined) {
    changed.push(older.first);
    tree.remove(older);
    older = tree.olderThan(level, older.first);
    keys = children.keys(older?.first ?? "", first);
  }
  const parts = Math.max(1, Math.floor(keys.length / TILE_SIZE));
  for (let part = 0; part < parts && keys.length > 0; part++) {
    const from = Math.floor((part * keys.length) / parts);
    const to = Math.floor(((part + 1) * keys.length) / parts);
    changed.push(insert(children, tree, keys.slice(from, to)));
  }
  return changed;
}

function insert(children: Children, tree: TileTree, keys: readonly string[]): string {
  const [first = ""] = keys;
  const last = children.lastOf(keys.at(-1) ?? "");
  tree.insert({ level: children.level, first, last, hash: children.hashOf(first, last), name: null });
  return first;
}
