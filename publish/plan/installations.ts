/**
 * The index of installations (docs/spec/publishing.md#index): installation → history. It is one object, or a small object and
 * shards; a shard is read when one of its installations is planned.
 */
import {
  encodeIndexShard,
  encodeShardedIndex,
  encodeWholeIndex,
  type HistoryNames,
  parseIndex,
  parseIndexShard,
  SHARDS,
  shardKey,
  shardKeyOf,
} from "../../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import { encodeResponse } from "../../src/object-store/stored-response.ts";
import type { Publication } from "../../src/resources/publication.ts";
import { telemetryPublication } from "../../src/resources/telemetry/publication.ts";
import { installationTelemetryKey, TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import type { Known } from "../known.ts";
import type { Planning } from "./answers.ts";
import { decide } from "./decide.ts";
import { NOTHING, needs, type Plan, type Put, type Unknown } from "./plan.ts";
import { shortHash } from "./source-version.ts";

/** Above this number of installations (about 50 kB) the index has shards. */
const WHOLE_LIMIT = 1_000;

export const FIRST_HISTORY = "1";

/** Names that the stored index lacks: installation id → history. */
export type NewNames = Map<string, string>;

/** The higher of two histories, which are decimal numbers. */
export function higherHistory(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Number(other) > Number(one) ? other : one;
}

/** The stored index. */
export type StoredIndex =
  | { readonly is: "lost" }
  | { readonly is: "whole"; readonly configured: string; readonly names: HistoryNames }
  | { readonly is: "sharded"; readonly configured: string; readonly shards: number };

export function storedIndex(known: Known): StoredIndex | undefined {
  const index = storedPart(known, INSTALLATIONS_KEY, parseIndex);
  if (index === undefined || index === "lost") return index && { is: "lost" };
  return "histories" in index
    ? { is: "whole", configured: index.configured, names: index.histories }
    : { is: "sharded", configured: index.configured, shards: index.shards };
}

const parsedBodies = new WeakMap<object, unknown>();

/** An object of the index, parsed once. "lost": damaged or absent; undefined: never looked up. */
function storedPart<T>(known: Known, key: string, parse: (text: string) => T): T | "lost" | undefined {
  const condition = known.get(key)?.condition;
  if (condition !== undefined && condition !== "stored") return "lost";
  const object = condition === undefined ? undefined : known.object(key);
  if (object === undefined) return undefined;
  let value = parsedBodies.get(object) as T | undefined;
  if (value === undefined) {
    value = parse(new TextDecoder().decode(object.body));
    parsedBodies.set(object, value as object);
  }
  return value;
}

/** True if this object of the index names the installation. */
export function isNamedIn(known: Known, key: string, id: string): boolean {
  const index = storedIndex(known);
  return index?.is === "sharded" ? shardKeyOf(id, index.shards) === key : key === INSTALLATIONS_KEY;
}

/** An installation's history in the stored index, or what must be looked up first. */
export type Named =
  | { readonly unknown: Unknown }
  | { readonly unknown?: undefined; readonly history: string | undefined; readonly isLost: boolean };

/** `isLost`: the object that would name it is damaged or absent. */
export function namedInIndex(known: Known, id: string): Named {
  const index = storedIndex(known);
  if (index === undefined) return { unknown: { is: "index", key: INSTALLATIONS_KEY } };
  if (index.is === "whole") return { history: index.names.get(id), isLost: false };
  if (index.is === "lost") return { history: undefined, isLost: true };
  const key = shardKeyOf(id, index.shards);
  const shard = storedPart(known, key, parseIndexShard);
  if (shard === undefined) return { unknown: { is: "shard", key } };
  if (shard === "lost") return { history: undefined, isLost: true };
  return { history: shard.get(id), isLost: false };
}

/**
 * The published history of an installation: the highest that the index, its telemetry, its tiles and `names` report. So an older
 * index that comes back (bucket versioning) does no harm.
 */
export function historyOf(
  id: string,
  configured: string,
  { known, names }: { readonly known: Known; readonly names: NewNames },
): { readonly history: string; readonly isPublished: boolean; readonly unknown: readonly Unknown[] } {
  const named = namedInIndex(known, id);
  const unknown: Unknown[] = named.unknown === undefined ? [] : [named.unknown];
  const key = id === configured ? TELEMETRY_KEY : installationTelemetryKey(id);
  if (named.unknown === undefined && named.isLost && known.publishedInstallations === undefined) {
    unknown.push({ is: "installations" });
  }
  let history = named.unknown === undefined ? named.history : undefined;
  const object = known.get(key);
  if (object === undefined) unknown.push({ is: "answer", key });
  else if (object.sourceVersion.of === shortHash(id))
    history = higherHistory(history, object.sourceVersion.history ?? FIRST_HISTORY);
  history = higherHistory(history, known.publishedInstallations?.get(id));
  history = higherHistory(history, known.progressFloor(id)?.history);
  history = higherHistory(history, names.get(id));
  return { history: history ?? FIRST_HISTORY, isPublished: history !== undefined, unknown };
}

/** True if the stored index names the installation with this history. */
export function isNamed(known: Known, id: string, history: string): boolean {
  const named = namedInIndex(known, id);
  return named.unknown === undefined && named.history === history;
}

export interface IndexPlanning extends Planning {
  readonly names: NewNames;
  readonly configured: string;
  /** The configured installation's responses except telemetry. */
  readonly publications: readonly Publication[];
  /** Keys of the index that are planned although no name has changed. */
  readonly rechecked: ReadonlySet<string>;
  /** New histories are named at once, whatever the minimum put interval. */
  readonly mustNameFirst: boolean;
}

/** Plans the index; shards before the object that says how many there are. */
export function planIndex(planning: IndexPlanning): Plan {
  const { known, names, force, rechecked } = planning;
  const index = storedIndex(known);
  if (index === undefined) return needs([{ is: "index", key: INSTALLATIONS_KEY }]);
  if (index.is === "lost" && known.publishedInstallations === undefined) return needs([{ is: "installations" }]);
  const configured = index.is === "lost" ? planning.configured : namedConfigured(index.configured, planning);
  if (index.is === "sharded") {
    const all = Array.from({ length: index.shards }, (_, shard) => shardKey(shard, index.shards));
    const changed = new Set([...names.keys()].map((id) => shardKeyOf(id, index.shards)));
    const keys = all.filter((key) => force || changed.has(key) || rechecked.has(key) || isLostShard(known, key));
    return planShards(keys, { shards: index.shards, configured, names }, planning);
  }
  const before = index.is === "whole" ? index.names : (known.publishedInstallations ?? new Map<string, string>());
  const all = withNames(before, names);
  if (all.size > WHOLE_LIMIT) {
    const keys = Array.from({ length: SHARDS }, (_, shard) => shardKey(shard, SHARDS));
    return planShards(keys, { shards: SHARDS, configured, names: all }, planning);
  }
  if (index.is === "whole" && !force && names.size === 0 && index.configured === configured) return NOTHING;
  const put = indexPut(INSTALLATIONS_KEY, encodeWholeIndex({ configured, histories: all }), [], planning);
  return paced(put === undefined ? [] : [put], planning);
}

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

/** Undefined if it is stored already. */
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
  const { states } = decision.future;
  const body = Buffer.from(text);
  return {
    key,
    resource: "observations",
    phase: key === INSTALLATIONS_KEY ? "index" : "shards",
    why: decision.why,
    action: object.condition === "absent" && object.sourceVersion.at === 0 ? "created" : "updated",
    status: 200,
    etag: null,
    replaces: object.tag,
    after,
    isContentEnough: false,
    object: ({ epoch, writer }) =>
      encodeResponse({
        representation: { status: 200, headers: {} },
        body,
        successors: [],
        states,
        writerMetadata: { epoch, writer, sourceVersion: { at } },
      }),
    confirmed(to, tag, stored) {
      const condition = "stored";
      to.remember({
        key,
        condition,
        tag,
        states,
        sourceVersion: { at },
        status: 200,
        bytes: body.length,
        etag: null,
        putAt: at,
      });
      to.keepBody(key, stored);
    },
    conflicted: (to) => to.forget(key),
  };
}

function withNames(before: HistoryNames, names: HistoryNames): HistoryNames {
  const all = new Map(before);
  for (const [id, history] of names) all.set(id, higherHistory(all.get(id), history) ?? history);
  return all;
}

/** A new configured installation is named after all of its responses are stored. */
function namedConfigured(before: string, { known, configured, publications }: IndexPlanning): string {
  if (before === configured) return configured;
  const own = shortHash(configured);
  const isElsewhere = ({ key, sources: { kinds = [], usesChain = false } = {} }: Publication) => {
    if (kinds.length === 0 && !usesChain) return false;
    const object = known.get(key);
    return object !== undefined && object.condition === "stored" && object.sourceVersion.of !== own;
  };
  return [telemetryPublication(configured, true), ...publications].some(isElsewhere) ? before : configured;
}
