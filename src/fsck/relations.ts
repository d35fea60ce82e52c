/** Checks stored objects against each other: index, observations, activity tiles, named objects, lease. */

import { INSTALLATIONS_KEY, STANDBY_KEY, STATUS_KEY, TILE_SIZE } from "../http/keys.ts";
import {
  activityKey,
  activityTileKey,
  type Category,
  MINIMUM_TILE_EVENTS,
  parseActivityTileKey,
  TILE_KEPT_MS,
} from "../resources/activity/route.ts";
import type { TileEntry } from "../resources/activity/stored-feed.ts";
import { observationsKey, observationTileKey } from "../resources/observations/route.ts";
import { ASSETS_PREFIX } from "../resources/site/route.ts";
import { ROUTES } from "../resources/table.ts";
import { installationTelemetryKey, TELEMETRY_KEY } from "../resources/telemetry/route.ts";
import type { Facts, ObservationTileFacts } from "./facts.ts";
import { kindOf } from "./kind.ts";
import type { StoreFinding } from "./rules.ts";

export function* installationFindings(facts: Facts): Generator<StoreFinding> {
  const { keys, damaged, installations, index } = facts;
  if (index === undefined) {
    if (keys.has(TELEMETRY_KEY) && !keys.has(INSTALLATIONS_KEY)) {
      yield { rule: "index-missing", key: INSTALLATIONS_KEY, says: "there are responses, but no index" };
    }
    return;
  }
  const { configured, installations: listed } = index;
  if (!listed.has(configured)) {
    yield {
      rule: "index-entry",
      key: INSTALLATIONS_KEY,
      says: `it does not list ${configured}, the configured installation`,
    };
  }
  for (const id of listed) {
    const key = id === configured ? TELEMETRY_KEY : installationTelemetryKey(id);
    if (!keys.has(key)) yield { rule: "index-entry", key, says: `the index lists ${id}, whose telemetry is missing` };
  }
  for (const [key, id] of installations) {
    const kind = kindOf(key);
    const expected = "of" in kind && kind.of !== undefined ? kind.of : configured;
    if (id !== expected && !damaged.has(key)) {
      yield { rule: "installation", key, says: `it is of ${id} instead of ${expected}` };
    }
  }
}

/** Reports gaps, partial tiles before the last, wrong last positions, and tiles of a newer log than that of the index. */
export function* observationFindings(facts: Facts): Generator<StoreFinding> {
  const { index } = facts;
  for (const [name, tiles] of facts.observations) {
    const [installationId = "", number = ""] = name.split(" ");
    const log = Number(number);
    const keyOf = (tile: number) => observationTileKey(installationId, log, tile);
    yield* gaps(tiles, keyOf, facts);
    yield* positions(tiles, keyOf, facts);
    if (index === undefined) continue;
    const isListed = index.installations.has(installationId);
    if (isListed && log <= index.log) continue;
    const says = isListed ? `the index names log ${index.log}` : "the index does not list the installation";
    yield { rule: "tile-log", key: `${observationsKey(installationId)}/${log}`, says };
  }
}

type KeyOf = (tile: number) => string;

function* gaps(tiles: readonly ObservationTileFacts[], keyOf: KeyOf, { keys }: Facts): Generator<StoreFinding> {
  const last = Math.max(...tiles.map(({ tile }) => tile));
  const byTile = new Map(tiles.map((one) => [one.tile, one]));
  for (let tile = 0; tile < last; tile++) {
    const found = byTile.get(tile);
    const key = keyOf(tile);
    if (found === undefined && !keys.has(key)) {
      yield { rule: "tile-gap", key, says: `it is missing, but tile ${last} exists` };
    } else if (found !== undefined && found.positions < TILE_SIZE) {
      yield { rule: "tile-gap", key, says: `it has ${found.positions} positions, but it is not the last tile` };
    }
  }
}

function* positions(tiles: readonly ObservationTileFacts[], keyOf: KeyOf, { writers }: Facts): Generator<StoreFinding> {
  for (const { tile, positions: count, complaint } of tiles) {
    const sourceVersion = writers.get(keyOf(tile))?.sourceVersion;
    if (sourceVersion === undefined || complaint !== undefined) continue;
    const through = tile * TILE_SIZE + count;
    if (sourceVersion.position === through) continue;
    const says = `it goes through position ${through}, its source version says ${sourceVersion.position}`;
    yield { rule: "tile-position", key: keyOf(tile), says };
  }
}

/** Checks that heads, index tiles and tiles agree, and that each tile is named. `now` in epoch ms. */
export function* activityFindings(facts: Facts, now: number): Generator<StoreFinding> {
  const named = new Set<string>();
  for (const [category, { recent, tiles, indexes }] of facts.heads) {
    const activity = { category, named, facts };
    const all: TileEntry[] = [...tiles];
    for (const index of indexes) {
      yield* indexFindings(activity, index);
      all.push(...(facts.activityTiles.get(activityTileKey(category, index.name))?.entries ?? []));
    }
    yield* tileFindings(activity, all, recent.at(-1)?.key);
  }
  yield* orphans(facts, named, now);
}

interface Activity {
  readonly category: Category;
  readonly named: Set<string>;
  readonly facts: Facts;
}

function* indexFindings(
  activity: Activity,
  { name, last, first }: TileEntry & { first: TileEntry },
): Generator<StoreFinding> {
  const key = activityTileKey(activity.category, name);
  yield* presence(activity, key, "index");
  const found = activity.facts.activityTiles.get(key);
  if (found?.entries === undefined) return;
  if (found.last !== last || found.first !== first.name || found.entries[0]?.last !== first.last) {
    yield { rule: "activity-order", key, says: "it does not begin or end with the tiles that the head says" };
  }
}

function* tileFindings(
  activity: Activity,
  entries: readonly TileEntry[],
  newer: string | undefined,
): Generator<StoreFinding> {
  let above = newer;
  for (const [index, { name, last }] of entries.entries()) {
    const key = activityTileKey(activity.category, name);
    yield* presence(activity, key, "events");
    const found = activity.facts.activityTiles.get(key);
    if (found !== undefined && found.entries === undefined) {
      if (found.last !== last)
        yield { rule: "activity-order", key, says: "it ends with another event than its entry says" };
      if (above !== undefined && found.first >= above) {
        yield {
          rule: "activity-order",
          key,
          says: "it begins with an event that is not older than those before it",
        };
      }
      if (found.count < MINIMUM_TILE_EVENTS && index < entries.length - 1) {
        yield { rule: "activity-order", key, says: `it has ${found.count} events, but it is not the oldest tile` };
      }
    }
    above = last;
  }
}

function* presence({ category, named, facts }: Activity, key: string, as: "events" | "index"): Generator<StoreFinding> {
  named.add(key);
  if (!facts.keys.has(key)) {
    yield { rule: "activity-missing", key, says: `the ${category} activity names it, but it is missing` };
    return;
  }
  const tile = facts.activityTiles.get(key);
  if (tile !== undefined && (tile.entries !== undefined) !== (as === "index")) {
    yield {
      rule: "activity-missing",
      key,
      says: `the ${category} activity names it as a tile of ${as === "index" ? "tiles" : "events"}`,
    };
  }
  const [own, head] = [facts.writers.get(key), facts.writers.get(activityKey(category))];
  if (own !== undefined && head !== undefined && own.sourceVersion.at > head.sourceVersion.at) {
    yield {
      rule: "activity-source-version",
      key: activityKey(category),
      says: `it is older than ${key}, which it names`,
    };
  }
}

/** Reports a tile as an orphan only if its head has not changed for the whole time either. */
function* orphans(
  { activityTiles, heads, writers }: Facts,
  named: ReadonlySet<string>,
  now: number,
): Generator<StoreFinding> {
  for (const key of activityTiles.keys()) {
    const category = parseActivityTileKey(key)?.category;
    if (named.has(key) || category === undefined || !heads.has(category)) continue;
    const instants = [key, activityKey(category)].map((one) => writers.get(one)?.sourceVersion.at ?? now);
    const since = Math.max(...instants);
    if (now - since > TILE_KEPT_MS) {
      yield { rule: "orphan", key, says: `no head has named it since ${new Date(since).toISOString()}` };
    }
  }
}

/** Keys by path with query, as in the publisher's status. */
const KEYS: ReadonlyMap<string, string> = new Map(
  ROUTES.flatMap(({ path, objects }) =>
    objects.map(({ query, key }): [string, string] => [query === "" ? path : `${path}?${query}`, key]),
  ),
);

/** Reports missing constants, assets and responses that another object names. */
export function* namedFindings({ named, keys, lease }: Facts): Generator<StoreFinding> {
  for (const [by, names] of named) {
    for (const key of new Set(names)) {
      if (keys.has(key)) continue;
      const rule = key.startsWith(ASSETS_PREFIX) ? "asset-missing" : "constant-missing";
      yield { rule, key, says: `${by} names it, but it is missing` };
    }
  }
  for (const path of lease?.responses ?? []) {
    const key = KEYS.get(path);
    if (key === undefined || keys.has(key)) continue;
    yield { rule: "answer-missing", key, says: `the publisher's status has ${path}, but it is missing` };
  }
}

/** Reports objects with a higher epoch than the lease, and a missing lease. */
export function* leaseFindings({ keys, lease, writers }: Facts): Generator<StoreFinding> {
  const others = [...keys].filter((key) => key !== STANDBY_KEY && key !== STATUS_KEY);
  if (!keys.has(STATUS_KEY) && others.length > 0) {
    yield { rule: "lease-missing", key: STATUS_KEY, says: `there are ${others.length} objects, but no lease` };
  }
  if (lease === undefined) return;
  for (const [key, { epoch }] of writers) {
    if (epoch > lease.epoch) yield { rule: "epoch", key, says: `its epoch is ${epoch}, the lease's is ${lease.epoch}` };
  }
}
