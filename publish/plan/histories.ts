/**
 * Finds the published history of each installation. The stored index names it, but an older index can come back, so the
 * history of the other objects counts too.
 */
import { type InstallationIndex, parseIndex } from "../../src/http/installations.ts";
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

/** The higher of two histories, which are decimal numbers. */
export function higherHistory(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Number(other) > Number(one) ? other : one;
}

const parsedIndexes = new WeakMap<object, InstallationIndex>();

/** The stored index, parsed once. "lost": damaged or absent; undefined: never looked up. */
export function storedIndex(known: Known): InstallationIndex | "lost" | undefined {
  const condition = known.get(INSTALLATIONS_KEY)?.condition;
  if (condition !== undefined && condition !== "stored") return "lost";
  const object = condition === undefined ? undefined : known.object(INSTALLATIONS_KEY);
  if (object === undefined) return undefined;
  let index = parsedIndexes.get(object);
  if (index === undefined) {
    index = parseIndex(new TextDecoder().decode(object.body));
    parsedIndexes.set(object, index);
  }
  return index;
}

/** True if the stored index names the installation as the configured one. */
export function isIndexOf(configured: string, known: Known): boolean {
  const index = storedIndex(known);
  return index !== undefined && index !== "lost" && index.configured === configured;
}

/** The installation's history in the stored index; undefined if the index does not name it. */
function historyInIndex(known: Known, id: string): string | undefined {
  const index = storedIndex(known);
  return index === undefined || index === "lost" ? undefined : index.histories.get(id);
}

/** True if the stored index names the installation with this history or a later one. */
export function isNamed(known: Known, id: string, history: string): boolean {
  const named = historyInIndex(known, id);
  return named !== undefined && higherHistory(named, history) === named;
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
 * Its history is the highest that the index, its responses, its tiles and `known.unnamed` report. So an older index that comes back
 * (bucket versioning) does no harm. `unknown`: what must be looked up before the subject is right.
 */
export function subjectOf(
  id: string,
  { known, ...responses }: { readonly known: Known } & Responses,
): { readonly subject: Subject; readonly unknown: readonly Unknown[] } {
  const index = storedIndex(known);
  const unknown: Unknown[] = index === undefined ? [{ is: "index" }] : [];
  if (index === "lost" && known.publishedInstallations === undefined) unknown.push({ is: "installations" });
  const named = historyInIndex(known, id);
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
    known.unnamed.get(id),
  ].reduce(higherHistory, named);
  const subject = {
    id,
    history: history ?? FIRST_HISTORY,
    isPublished: history !== undefined,
    isNamed: history !== undefined && named === history,
    published,
  };
  return { subject, unknown };
}

/** An index that was just read may be an older version. Installations that it lacks are named again. */
export function reconcileNames(known: Known): void {
  const index = storedIndex(known);
  if (index === undefined || index === "lost") return;
  for (const { key, sourceVersion } of known.all()) {
    const id = parseInstallationTelemetryKey(key);
    if (id === undefined) continue;
    const history = higherHistory(sourceVersion.history ?? FIRST_HISTORY, known.progressFloor(id)?.history);
    if (history !== undefined && !isNamed(known, id, history)) known.unnamed.set(id, history);
  }
}
