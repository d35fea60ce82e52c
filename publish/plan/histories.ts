/**
 * Finds the published history of each installation. The stored index names it, but an older index can come back, so the
 * history of the other objects counts too. Shards of the index are read when one of their installations is planned.
 */
import { type HistoryNames, parseIndex, parseIndexShard, shardKeyOf } from "../../src/http/installations.ts";
import { INSTALLATIONS_KEY } from "../../src/http/keys.ts";
import type { SourceVersion } from "../../src/object-store/stored-response.ts";
import type { Publication } from "../../src/resources/publication.ts";
import { telemetryPublication, unknownTelemetryPublication } from "../../src/resources/telemetry/publication.ts";
import {
  installationTelemetryKey,
  parseInstallationTelemetryKey,
  TELEMETRY_KEY,
} from "../../src/resources/telemetry/route.ts";
import type { Known } from "../known.ts";
import type { Unknown } from "./plan.ts";
import { shortHash } from "./source-version.ts";

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
export function storedPart<T>(known: Known, key: string, parse: (text: string) => T): T | "lost" | undefined {
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

interface Named {
  /** Undefined if the index does not name the installation. */
  readonly history?: string | undefined;
  /** The object that would name it is damaged or absent. */
  readonly isLost?: boolean;
  /** The object that must be looked up first. */
  readonly unknown?: Unknown;
}

/** An installation in the stored index. */
function namedInIndex(known: Known, id: string): Named {
  const index = storedIndex(known);
  if (index === undefined) return { unknown: { is: "index", key: INSTALLATIONS_KEY } };
  if (index.is === "whole") return { history: index.names.get(id) };
  if (index.is === "lost") return { isLost: true };
  const key = shardKeyOf(id, index.shards);
  const shard = storedPart(known, key, parseIndexShard);
  if (shard === undefined) return { unknown: { is: "shard", key } };
  return shard === "lost" ? { isLost: true } : { history: shard.get(id) };
}

/** True if the stored index names the installation with this history or a later one. */
export function isNamed(known: Known, id: string, history: string): boolean {
  const named = namedInIndex(known, id).history;
  return named !== undefined && higherHistory(named, history) === named;
}

export interface PublishedNames {
  readonly known: Known;
  readonly names: NewNames;
}

/** The responses of a publisher. */
export interface Responses {
  readonly configured: string;
  /** The configured installation's responses except telemetry, and every file. */
  readonly publications: readonly Publication[];
}

/** The responses of the configured installation and every file, or of one other installation. */
export function responsesOf(id: string, { configured, publications }: Responses): Publication[] {
  if (id !== configured) return [telemetryPublication(id, false)];
  return [unknownTelemetryPublication, telemetryPublication(id, true), ...publications];
}

/** Keys of the responses that are computed from the installation's facts or its chain. */
export function ownKeys(id: string, responses: Responses): string[] {
  const isOwn = ({ sources: { installationId = id, kinds = [], usesChain = false } = {} }: Publication) =>
    installationId === id && (kinds.length > 0 || usesChain);
  return responsesOf(id, responses)
    .filter(isOwn)
    .map(({ key }) => key);
}

/** An installation that is planned, and what is published of it. */
export interface Subject {
  readonly id: string;
  /** The history under which it is published. */
  readonly history: string;
  /** False before its first publish. */
  readonly isPublished: boolean;
  /** The stored index names it with this history. */
  readonly isNamed: boolean;
  /** The versions under the keys of its responses. Nothing older is put. */
  readonly published: readonly SourceVersion[];
}

/**
 * Its history is the highest that the index, its responses, its tiles and `names` report. So an older index that comes back
 * (bucket versioning) does no harm. `unknown`: what must be looked up before the subject is right.
 */
export function subjectOf(
  id: string,
  { known, names, ...responses }: PublishedNames & Responses,
): { readonly subject: Subject; readonly unknown: readonly Unknown[] } {
  const named = namedInIndex(known, id);
  const unknown: Unknown[] = named.unknown === undefined ? [] : [named.unknown];
  if (named.isLost === true && known.publishedInstallations === undefined) unknown.push({ is: "installations" });
  const of = shortHash(id);
  const keys = ownKeys(id, responses);
  const telemetry = id === responses.configured ? known.get(TELEMETRY_KEY) : undefined;
  // Until a mistyped id was corrected, the installation was another one, with telemetry under a key of its own.
  if (telemetry !== undefined && telemetry.sourceVersion.of !== of) keys.push(installationTelemetryKey(id));
  for (const key of keys) if (known.get(key) === undefined) unknown.push({ is: "answer", key });
  const published = keys.flatMap((key) => known.get(key)?.sourceVersion ?? []);
  const history = [
    ...published.filter((version) => version.of === of).map((version) => version.history ?? FIRST_HISTORY),
    known.publishedInstallations?.get(id),
    known.progressFloor(id)?.history,
    names.get(id),
  ].reduce(higherHistory, named.history);
  const subject = {
    id,
    history: history ?? FIRST_HISTORY,
    isPublished: history !== undefined,
    isNamed: history !== undefined && named.history === history,
    published,
  };
  return { subject, unknown };
}

/** An index or a shard that was just read may be an older version. Installations that it lacks are named again. */
export function reconcileNames(read: readonly Unknown[], { known, names }: PublishedNames): void {
  const keys = new Set(read.flatMap((one) => (one.is === "index" || one.is === "shard" ? [one.key] : [])));
  if (keys.size === 0) return;
  const index = storedIndex(known);
  for (const { key, sourceVersion } of known.all()) {
    const id = parseInstallationTelemetryKey(key);
    if (id === undefined) continue;
    if (!keys.has(index?.is === "sharded" ? shardKeyOf(id, index.shards) : INSTALLATIONS_KEY)) continue;
    const named = namedInIndex(known, id);
    if (named.unknown !== undefined || named.isLost === true) continue;
    const history = higherHistory(sourceVersion.history ?? FIRST_HISTORY, known.progressFloor(id)?.history);
    if (history !== undefined && higherHistory(named.history, history) !== named.history) names.set(id, history);
  }
}
