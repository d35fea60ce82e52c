/**
 * Plans the index of installations (docs/spec/publishing.md#index): installation → history. It is one object, or a
 * small object and shards.
 */
import {
  encodeIndexShard,
  encodeShardedIndex,
  encodeWholeIndex,
  type HistoryNames,
  parseIndexShard,
  SHARDS,
  shardKey,
  shardKeyOf,
} from "../../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import type { Known } from "../known.ts";
import { decide, responsePut } from "./decide.ts";
import { higherHistory, type NewNames, type Responses, storedIndex, storedPart } from "./histories.ts";
import { NOTHING, needs, type Plan, type Planning, type Put, type Unknown } from "./plan.ts";

/** Above this number of installations (about 50 kB) the index has shards. */
const WHOLE_LIMIT = 1_000;

export interface IndexPlanning extends Planning, Responses {
  readonly names: NewNames;
  /** Keys of the index that are planned although no name has changed. */
  readonly rechecked: ReadonlySet<string>;
  /** The index is put at once, whatever the minimum put interval, because nothing may be stored before it. */
  readonly mustNameFirst: boolean;
}

/** Plans the index. Shards are put before the object that says how many there are. */
export function planIndex(planning: IndexPlanning): Plan {
  const { known, force, rechecked } = planning;
  const index = storedIndex(known);
  if (index === undefined) return needs([{ is: "index", key: INSTALLATIONS_KEY }]);
  // With `force`, the index names everything that is stored: an older one may have come back.
  const isListed = index.is === "lost" || force;
  if (isListed && known.publishedInstallations === undefined) return needs([{ is: "installations" }]);
  const names = withNames((isListed ? known.publishedInstallations : undefined) ?? NO_NAMES, planning.names);
  const { configured } = planning;
  const isChange = index.is === "lost" || index.configured !== configured;
  if (index.is === "sharded") {
    const all = Array.from({ length: index.shards }, (_, shard) => shardKey(shard, index.shards));
    const changed = new Set([...names.keys()].map((id) => shardKeyOf(id, index.shards)));
    const keys = all.filter((key) => force || changed.has(key) || rechecked.has(key) || isLostShard(known, key));
    return planShards(keys, { shards: index.shards, configured, names }, planning);
  }
  const before = new Map(index.is === "whole" ? index.names : NO_NAMES);
  // A mistyped id has no facts. An installation of the ledger is named again once it is published under its own key.
  if (index.is === "whole" && isChange) before.delete(index.configured);
  const all = withNames(before, names);
  if (all.size > WHOLE_LIMIT) {
    const keys = Array.from({ length: SHARDS }, (_, shard) => shardKey(shard, SHARDS));
    return planShards(keys, { shards: SHARDS, configured, names: all }, planning);
  }
  if (index.is === "whole" && !force && names.size === 0 && !isChange) return NOTHING;
  const put = indexPut(INSTALLATIONS_KEY, encodeWholeIndex({ configured, histories: all }), [], planning);
  return paced(put === undefined ? [] : [put], planning);
}

const NO_NAMES: HistoryNames = new Map();

function isLostShard(known: Known, key: string): boolean {
  const object = known.get(key);
  return object !== undefined && object.condition !== "stored";
}

interface Shards {
  readonly shards: number;
  readonly configured: string;
  /** Names that the shards may lack. */
  readonly names: HistoryNames;
}

function planShards(keys: readonly string[], { shards, configured, names }: Shards, planning: IndexPlanning): Plan {
  const { known } = planning;
  const unknown: Unknown[] = keys
    .filter((key) => storedPart(known, key, parseIndexShard) === undefined)
    .map((key) => ({ is: "shard", key }));
  const isAnyLost = keys.some((key) => storedPart(known, key, parseIndexShard) === "lost");
  // A new index has no shards yet, so only a shard that existed can have lost names.
  if (isAnyLost && storedIndex(known)?.is === "sharded" && known.publishedInstallations === undefined) {
    unknown.push({ is: "installations" });
  }
  if (unknown.length > 0) return needs(unknown);
  const puts: Put[] = [];
  const published = byShard(known.publishedInstallations ?? new Map(), shards);
  const added = byShard(names, shards);
  for (const key of keys) {
    const stored = storedPart(known, key, parseIndexShard);
    const before = (stored === "lost" ? published.get(key) : stored) ?? new Map<string, string>();
    const put = indexPut(key, encodeIndexShard(withNames(before, added.get(key) ?? new Map())), [], planning);
    if (put !== undefined) puts.push(put);
  }
  const after = puts.map(({ key }) => key);
  const top = indexPut(INSTALLATIONS_KEY, encodeShardedIndex({ configured, shards }), after, planning);
  return paced(top === undefined ? puts : [...puts, top], planning);
}

function byShard(names: HistoryNames, shards: number): ReadonlyMap<string, HistoryNames> {
  const all = new Map<string, Map<string, string>>();
  for (const [id, history] of names) {
    const key = shardKeyOf(id, shards);
    const own = all.get(key);
    if (own === undefined) all.set(key, new Map([[id, history]]));
    else own.set(id, history);
  }
  return all;
}

/** Waits until the minimum put interval of each key is over. */
function paced(puts: readonly Put[], { known, pace, at, force, mustNameFirst }: IndexPlanning): Plan {
  const until = Math.max(...puts.map(({ key }) => pace.indexAt(known.get(key)?.putAt ?? 0)));
  if (puts.length === 0 || force || mustNameFirst || until <= at) return { ...NOTHING, puts };
  return { ...NOTHING, waits: puts.map(({ key }) => [key, until] as const) };
}

/** Returns undefined if the same text is stored already. */
function indexPut(
  key: string,
  text: string,
  after: readonly string[],
  { known, force, at }: IndexPlanning,
): Put | undefined {
  const object = known.get(key);
  if (object === undefined) throw new TypeError(`${key} was not looked up`);
  const build = () => ({ status: 200, headers: {}, body: text, lasting: text });
  const decision = decide(build, object, at, { force });
  if (!decision.put) return undefined;
  const phase = key === INSTALLATIONS_KEY ? "index" : "shards";
  const place = { key, resource: "observations", phase, before: object, after, sourceVersion: { at } } as const;
  return responsePut(decision, { ...place, keepsBody: true });
}

function withNames(before: HistoryNames, names: HistoryNames): HistoryNames {
  if (before.size === 0) return names;
  const all = new Map(before);
  for (const [id, history] of names) all.set(id, higherHistory(all.get(id), history) ?? history);
  return all;
}
