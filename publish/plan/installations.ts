/**
 * The index of installations (docs/spec/publishing.md#index): which installation is published under which history, as the
 * store has it and as it has to be. One object, or shards of which each is read when one of its installations is planned.
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
import { installationTelemetryKey, TELEMETRY_KEY } from "../../src/resources/telemetry/keys.ts";
import { telemetryPublication } from "../../src/resources/telemetry/publication.ts";
import type { Known } from "../known.ts";
import type { Planning } from "./answers.ts";
import { decide } from "./decide.ts";
import { NOTHING, needs, type Plan, type Put, type Unknown } from "./plan.ts";
import { shortHash } from "./source-version.ts";

/** An index of more installations is kept in shards: up to there it has some 50 kB. */
const WHOLE_LIMIT = 1_000;

export const FIRST_HISTORY = "1";

/** Names that the store's index does not have yet: installation id → history. */
export type NewNames = Map<string, string>;

/** The higher of two histories, which are numbers. */
export function higherHistory(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Number(other) > Number(one) ? other : one;
}

/** The index as it is stored; undefined if nobody has read it. */
export type StoredIndex =
  | { readonly is: "lost" }
  | { readonly is: "whole"; readonly configured: string; readonly names: HistoryNames }
  | { readonly is: "sharded"; readonly configured: string; readonly shards: number };

export function storedIndex(known: Known): StoredIndex | undefined {
  const text = storedText(known, INSTALLATIONS_KEY);
  if (text === undefined || text === "lost") return text && { is: "lost" };
  const index = parsed(text, parseIndex);
  return "histories" in index
    ? { is: "whole", configured: index.configured, names: index.histories }
    : { is: "sharded", configured: index.configured, shards: index.shards };
}

/** "lost" if the object is damaged or absent; undefined if nobody has read it. */
function storedText(known: Known, key: string): string | undefined {
  const object = known.get(key);
  if (object !== undefined && object.condition !== "stored") return "lost";
  return object && known.body(key);
}

const parsedTexts = new Map<string, unknown>();

/** An index is parsed once, not for each installation that is looked up in it. */
function parsed<T>(text: string, parse: (text: string) => T): T {
  let value = parsedTexts.get(text) as T | undefined;
  if (value === undefined) {
    if (parsedTexts.size > 2 * SHARDS) parsedTexts.clear();
    value = parse(text);
    parsedTexts.set(text, value);
  }
  return value;
}

/** True if a key of the index is the one that names an installation. */
export function isNamedIn(known: Known, key: string, id: string): boolean {
  const index = storedIndex(known);
  return index?.is === "sharded" ? shardKeyOf(id, index.shards) === key : key === INSTALLATIONS_KEY;
}

/** What names an installation: its history there, or what has to be looked up first. */
export type Named =
  | { readonly unknown: Unknown }
  | { readonly unknown?: undefined; readonly history: string | undefined; readonly isLost: boolean };

/** As the store's index says; `isLost` if what would name it is damaged or absent. */
export function namedInIndex(known: Known, id: string): Named {
  const index = storedIndex(known);
  if (index === undefined) return { unknown: { is: "index", key: INSTALLATIONS_KEY } };
  if (index.is === "whole") return { history: index.names.get(id), isLost: false };
  if (index.is === "lost") return { history: undefined, isLost: true };
  const key = shardKeyOf(id, index.shards);
  const text = storedText(known, key);
  if (text === undefined) return { unknown: { is: "shard", key } };
  if (text === "lost") return { history: undefined, isLost: true };
  return { history: parsed(text, parseIndexShard).get(id), isLost: false };
}

/**
 * The history under which an installation is published: the highest that the index, its own objects and its tiles report,
 * so that an older index which comes back takes nothing back.
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
  else if (object.asof.of === shortHash(id)) history = higherHistory(history, object.asof.history ?? FIRST_HISTORY);
  history = higherHistory(history, known.publishedInstallations?.get(id));
  history = higherHistory(history, known.progressFloor(id)?.history);
  history = higherHistory(history, names.get(id));
  return { history: history ?? FIRST_HISTORY, isPublished: history !== undefined, unknown };
}

/** Which names the store's index does not have, of an installation whose objects are stored. */
export function isNamed(known: Known, id: string, history: string): boolean {
  const named = namedInIndex(known, id);
  return named.unknown === undefined && named.history === history;
}

export interface IndexPlanning extends Planning {
  readonly names: NewNames;
  readonly configured: string;
  /** The configured installation's responses but telemetry. */
  readonly publications: readonly Publication[];
  /** Keys of the index that are read again, named or not. */
  readonly rechecked: ReadonlySet<string>;
  /** New histories are named before anything is put under them, whatever the minimum put interval. */
  readonly mustNameFirst: boolean;
}

/** What has to be put of the index; the shards before the object that says how many there are. */
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
    .filter((key) => storedText(known, key) === undefined)
    .map((key) => ({ is: "shard", key }));
  const isAnyLost = keys.some((key) => storedText(known, key) === "lost");
  // A new index has no shard yet: only one that was there before can have named somebody.
  if (isAnyLost && storedIndex(known)?.is === "sharded" && known.publishedInstallations === undefined) {
    unknown.push({ is: "installations" });
  }
  if (unknown.length > 0) return needs(unknown);
  const puts: Put[] = [];
  for (const key of keys) {
    const text = storedText(known, key);
    const isOwn = ([id]: readonly [string, string]) => shardKeyOf(id, shards) === key;
    const lost = text === "lost" ? [...(known.publishedInstallations ?? [])].filter(isOwn) : [];
    const before = text === undefined || text === "lost" ? new Map(lost) : parsed(text, parseIndexShard);
    const own = new Map([...names].filter(isOwn));
    const put = indexPut(key, encodeIndexShard(withNames(before, own)), [], planning);
    if (put !== undefined) puts.push(put);
  }
  const after = puts.map(({ key }) => key);
  const top = indexPut(INSTALLATIONS_KEY, encodeShardedIndex({ configured, shards }), after, planning);
  return paced(top === undefined ? puts : [...puts, top], planning);
}

/** Where puts cost something, none before the minimum interval since the last put of its key is over. */
function paced(puts: readonly Put[], { known, pace, at, force, mustNameFirst }: IndexPlanning): Plan {
  const until = Math.max(...puts.map(({ key }) => pace.indexAt(known.get(key)?.putAt ?? 0)));
  if (puts.length === 0 || force || mustNameFirst || until <= at) return { ...NOTHING, puts };
  return { ...NOTHING, waits: puts.map(({ key }) => [key, until] as const) };
}

/** Undefined if it is stored as it has to be. */
function indexPut(
  key: string,
  text: string,
  after: readonly string[],
  { known, force, at }: IndexPlanning,
): Put | undefined {
  const object = known.get(key);
  if (object === undefined) throw new TypeError(`${key} was not looked up`);
  const build = () => ({ status: 200, headers: {}, body: text, identity: text });
  const decision = decide(build, object, at, { force });
  if (!decision.put) return undefined;
  const { states } = decision.future;
  const body = Buffer.from(text);
  return {
    key,
    resource: "observations",
    phase: key === INSTALLATIONS_KEY ? "index" : "shards",
    why: decision.why,
    action: object.condition === "absent" && object.asof.at === 0 ? "created" : "updated",
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
        writerMetadata: { epoch, writer, asof: { at } },
      }),
    confirmed(to, tag, stored) {
      const condition = "stored";
      to.remember({
        key,
        condition,
        tag,
        states,
        asof: { at },
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

/** A changed installationId is named once its own responses are stored. */
function namedConfigured(before: string, { known, configured, publications }: IndexPlanning): string {
  if (before === configured) return configured;
  const own = shortHash(configured);
  const isElsewhere = ({ key, kinds = [], usesChain = false }: Publication) => {
    if (kinds.length === 0 && !usesChain) return false;
    const object = known.get(key);
    return object !== undefined && object.condition === "stored" && object.asof.of !== own;
  };
  return [telemetryPublication(configured, true), ...publications].some(isElsewhere) ? before : configured;
}
