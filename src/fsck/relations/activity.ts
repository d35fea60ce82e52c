/** Heads, index tiles and tiles of the activity against each other, and tiles that nothing names. */
import { activityKey, activityTileKey, type Category, parseActivityTileKey } from "../../resources/activity/keys.ts";
import type { TileEntry } from "../../resources/activity/stored-feed.ts";
import type { Facts } from "../facts.ts";
import type { Finding } from "../rules.ts";

/** A page of 100 is at most two tiles (docs/spec/publishing.md#activity-tiles). */
const FEWEST_EVENTS = 99;
/** Tiles stay for so long (ms) after no head names them (docs/spec/publishing.md#deletions). */
const KEPT_MS = 3_600_000;

/** `now` in epoch ms. */
export function* activityFindings(facts: Facts, now: number): Generator<Finding> {
  const named = new Set<string>();
  for (const [category, { recent, tiles, indexes }] of facts.heads) {
    const feed = { category, named, facts };
    const all: TileEntry[] = [...tiles];
    for (const index of indexes) {
      yield* indexFindings(feed, index);
      all.push(...(facts.activityTiles.get(activityTileKey(category, index.name))?.entries ?? []));
    }
    yield* tileFindings(feed, all, recent.at(-1)?.key);
  }
  yield* orphans(facts, named, now);
}

interface Feed {
  readonly category: Category;
  readonly named: Set<string>;
  readonly facts: Facts;
}

function* indexFindings(feed: Feed, { name, last, first }: TileEntry & { first: TileEntry }): Generator<Finding> {
  const key = activityTileKey(feed.category, name);
  yield* presence(feed, key, "index");
  const found = feed.facts.activityTiles.get(key);
  if (found?.entries === undefined) return;
  if (found.last !== last || found.first !== first.name || found.entries[0]?.last !== first.last) {
    yield { rule: "activity-order", key, says: "it does not begin or end with the tiles that the head says" };
  }
}

function* tileFindings(feed: Feed, entries: readonly TileEntry[], newer: string | undefined): Generator<Finding> {
  let above = newer;
  for (const [index, { name, last }] of entries.entries()) {
    const key = activityTileKey(feed.category, name);
    yield* presence(feed, key, "events");
    const found = feed.facts.activityTiles.get(key);
    if (found !== undefined && found.entries === undefined) {
      if (found.last !== last)
        yield { rule: "activity-order", key, says: "it ends with another event than is said of it" };
      if (above !== undefined && found.first >= above) {
        yield {
          rule: "activity-order",
          key,
          says: "it begins with an event that is not older than what stands above it",
        };
      }
      if (found.count < FEWEST_EVENTS && index < entries.length - 1) {
        yield { rule: "activity-order", key, says: `it has ${found.count} events, and older tiles stand below it` };
      }
    }
    above = last;
  }
}

function* presence({ category, named, facts }: Feed, key: string, as: "events" | "index"): Generator<Finding> {
  named.add(key);
  if (!facts.keys.has(key)) {
    yield { rule: "activity-missing", key, says: `the ${category} feed names it, and it is not there` };
    return;
  }
  const tile = facts.activityTiles.get(key);
  if (tile !== undefined && (tile.entries !== undefined) !== (as === "index")) {
    yield {
      rule: "activity-missing",
      key,
      says: `the ${category} feed names it as a tile of ${as === "index" ? "tiles" : "events"}`,
    };
  }
  const [own, head] = [facts.writers.get(key), facts.writers.get(activityKey(category))];
  if (own !== undefined && head !== undefined && own.asof.at > head.asof.at) {
    yield { rule: "activity-asof", key: activityKey(category), says: `it is from before ${key}, which it names` };
  }
}

/** Only where the head has stood for the whole grace is it sure that nobody has named a tile in it. */
function* orphans(
  { activityTiles, heads, writers }: Facts,
  named: ReadonlySet<string>,
  now: number,
): Generator<Finding> {
  for (const key of activityTiles.keys()) {
    const category = parseActivityTileKey(key)?.category;
    if (named.has(key) || category === undefined || !heads.has(category)) continue;
    const instants = [key, activityKey(category)].map((one) => writers.get(one)?.asof.at ?? now);
    const since = Math.max(...instants);
    if (now - since > KEPT_MS) {
      yield { rule: "orphan", key, says: `no head has named it since ${new Date(since).toISOString()}` };
    }
  }
}
