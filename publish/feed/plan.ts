/**
 * Keeps the tiles of the activity feed in step with its events: what has come or gone touches the tile that covers it
 * and no other. Every tile but the oldest holds at least 99 events, so that a page of 100 is at most two of them.
 */
import type { Database } from "better-sqlite3";
import { CATEGORIES, type Category, TILE_SIZE } from "../../src/http/keys.ts";
import {
  activityChanges,
  forgetChanges,
  HIGHEST,
  newestChange,
  readActivityKeys,
} from "../../src/projections/activity-events.ts";
import { type FeedLevel, FeedNodes } from "../../src/projections/feed-nodes.ts";
import type { FeedContext } from "../../src/resources/activity/event.ts";
import { tileHash } from "./tile-body.ts";

/** One event of a tile and the next tile whole make a page of 100. */
const FEWEST_EVENTS = 99;

/** Brings every category's tiles to what the projections hold. Synchronous; idempotent; nothing is put. */
export function planFeeds(projections: Database, context: FeedContext): void {
  const newest = newestChange(projections);
  const basis = JSON.stringify([context.installationId, context.target, String(context.chainId), context.releaseId]);
  const due = CATEGORIES.filter((category) => {
    const state = new FeedNodes(projections, category).state();
    return state?.basis !== basis || state.changeNo !== newest;
  });
  if (due.length === 0) return;
  projections.transaction(() => {
    for (const category of due) planCategory(projections, category, context, basis, newest);
    forgetChanges(projections, newest);
  })();
}

function planCategory(
  projections: Database,
  category: Category,
  context: FeedContext,
  basis: string,
  newest: number,
): void {
  const nodes = new FeedNodes(projections, category);
  const state = nodes.state();
  const version = (state?.version ?? 0) + 1;
  if (state?.basis !== basis) {
    for (const level of [1, 2] as const) for (const node of nodes.between(level, "", HIGHEST)) nodes.remove(node);
    cutNew(events(projections, category, context), nodes);
    cutNew(tiles(nodes), nodes);
  } else {
    const changes = activityChanges(projections, category, state.changeNo);
    if (changes.length === 0) return nodes.setState({ ...state, changeNo: newest });
    const touched = recut(
      events(projections, category, context),
      nodes,
      changes.map(({ key }) => key),
    );
    if (touched.length > 0) recut(tiles(nodes), nodes, touched);
  }
  nodes.setState({ basis, changeNo: newest, version });
}

/** What a level is cut from. */
interface Children {
  readonly level: FeedLevel;
  readonly fewest: number;
  /** Their keys above one and at or below another, newest first. */
  keys(above: string, through: string): string[];
  /** The key of the oldest event that a child holds. */
  lastOf(key: string): string;
  hashOf(first: string, last: string): string | null;
}

function events(projections: Database, category: Category, context: FeedContext): Children {
  return {
    level: 1,
    fewest: FEWEST_EVENTS,
    keys: (above, through) => readActivityKeys(projections, category, above, through),
    lastOf: (key) => key,
    hashOf: (first, last) => tileHash(projections, category, context, first, last),
  };
}

function tiles(nodes: FeedNodes): Children {
  return {
    level: 2,
    fewest: 1,
    keys: (above, through) => nodes.between(1, above, through).map(({ first }) => first),
    lastOf: (key) => nodes.covering(1, key)?.last ?? key,
    // It names its tiles, so its text is known only when they have names.
    hashOf: () => null,
  };
}

/**
 * Cuts anew what covers the touched keys, then what has no tile yet. Gives the keys of its own tiles that came or went,
 * for the level above.
 */
function recut(children: Children, nodes: FeedNodes, touched: readonly string[]): string[] {
  const changed: string[] = [];
  const dirty = new Set<string>();
  for (const key of touched) {
    const first = nodes.covering(children.level, key)?.first;
    if (first !== undefined) dirty.add(first);
  }
  for (const first of [...dirty].sort()) changed.push(...recutOne(children, nodes, first));
  return [...changed, ...cutNew(children, nodes)];
}

function recutOne(children: Children, nodes: FeedNodes, first: string): string[] {
  const { level, fewest } = children;
  const tile = nodes.covering(level, first);
  if (tile?.first !== first) return [];
  const changed = [first];
  nodes.remove(tile);
  let older = nodes.olderThan(level, first);
  let keys = children.keys(older?.first ?? "", first);
  // Too few to stand between two others: it joins the next older one.
  while (keys.length > 0 && keys.length < fewest && older !== undefined) {
    changed.push(older.first);
    nodes.remove(older);
    older = nodes.olderThan(level, older.first);
    keys = children.keys(older?.first ?? "", first);
  }
  const parts = Math.max(1, Math.floor(keys.length / TILE_SIZE));
  for (let part = 0; part < parts && keys.length > 0; part++) {
    const from = Math.floor((part * keys.length) / parts);
    const to = Math.floor(((part + 1) * keys.length) / parts);
    changed.push(insert(children, nodes, keys.slice(from, to)));
  }
  return changed;
}

/** Cuts full tiles from the oldest of what lies above all of them; the rest stays in the head. */
function cutNew(children: Children, nodes: FeedNodes): string[] {
  const keys = children.keys(nodes.newest(children.level)?.first ?? "", HIGHEST);
  const changed: string[] = [];
  for (let end = keys.length; end >= TILE_SIZE; end -= TILE_SIZE) {
    changed.push(insert(children, nodes, keys.slice(end - TILE_SIZE, end)));
  }
  return changed;
}

function insert(children: Children, nodes: FeedNodes, keys: readonly string[]): string {
  const [first = ""] = keys;
  const last = children.lastOf(keys.at(-1) ?? "");
  nodes.insert({ level: children.level, first, last, hash: children.hashOf(first, last), name: null });
  return first;
}
