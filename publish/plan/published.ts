/** What is published: the index, the log's number, and the versions of each installation. */
import { FIRST_LOG } from "../../src/http/installations.ts";
import { checkpointKey, LOG_ROOTS } from "../../src/http/keys.ts";
import type { SourceVersion } from "../../src/object-store/stored-response.ts";
import type { Publication } from "../../src/resources/publication.ts";
import { telemetryPublication, unknownTelemetryPublication } from "../../src/resources/telemetry/publication.ts";
import {
  installationTelemetryKey,
  parseInstallationTelemetryKey,
  TELEMETRY_KEY,
} from "../../src/resources/telemetry/route.ts";
import type { Known } from "../known.ts";
import type { StoreLookup } from "./plan.ts";
import { shortHash } from "./source-version.ts";

/** True if the stored index names the installation as the configured one. */
export function isIndexOf(configured: string, known: Known): boolean {
  const index = known.index;
  return index !== undefined && index !== "lost" && index.configured === configured;
}

/** True if the stored index lists the installation and names the published log. */
export function isListed(known: Known, id: string): boolean {
  const index = known.index;
  return index !== undefined && index !== "lost" && index.log === known.log && index.installations.has(id);
}

/** Returns what must be looked up before the number of the log is known. */
export function logLookups(known: Known): StoreLookup[] {
  const index = known.index;
  if (index === undefined) return [{ is: "index" }];
  if (index === "lost" && known.publishedInstallations === undefined) return [{ is: "installations" }];
  const { log } = known;
  const isKnown = log !== undefined && LOG_ROOTS.every((root) => known.get(checkpointKey(root, log)) !== undefined);
  return isKnown ? [] : [{ is: "log" }];
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
  /** False before its first publish. */
  readonly isPublished: boolean;
  /** The versions under the keys of its responses. Nothing older is put. */
  readonly published: readonly SourceVersion[];
  /** The number of the log from which it is published. */
  readonly log: number;
}

/** `lookups`: what must be read before the subject is right. */
export function subjectOf(
  id: string,
  { known, ...responses }: { readonly known: Known } & Responses,
): { readonly subject: Subject; readonly lookups: readonly StoreLookup[] } {
  const lookups = logLookups(known);
  const of = shortHash(id);
  const keys = ownKeys(id, responses);
  const telemetry = id === responses.configured ? known.get(TELEMETRY_KEY) : undefined;
  // Until a mistyped id was corrected, the installation was another one, with telemetry under a key of its own.
  if (telemetry !== undefined && telemetry.sourceVersion.of !== of) keys.push(installationTelemetryKey(id));
  for (const key of keys) if (known.get(key) === undefined) lookups.push({ is: "object", key });
  const published = keys.flatMap((key) => known.get(key)?.sourceVersion ?? []);
  const isPublished =
    isListed(known, id) ||
    known.publishedInstallations?.installations.has(id) === true ||
    published.some((version) => version.of === of) ||
    (known.progressFloor(id)?.position ?? 0) > 0;
  return { subject: { id, isPublished, published, log: known.log ?? FIRST_LOG }, lookups };
}

/** An index that was just read may be an older version. Installations that it lacks are listed again. */
export function reconcileListed(known: Known): void {
  const index = known.index;
  if (index === undefined || index === "lost") return;
  const log = Math.max(index.log, known.log ?? FIRST_LOG);
  const published = [...known.all()].flatMap(({ key, sourceVersion }) =>
    (sourceVersion.log ?? FIRST_LOG) === log ? (parseInstallationTelemetryKey(key) ?? []) : [],
  );
  for (const id of [...published, ...storedIn(log, known)]) if (!index.installations.has(id)) known.unlisted.add(id);
}

/** Returns the installations that have stored objects of a log. Those of an abandoned log may be unknown to the new one. */
export function storedIn(log: number, { publishedInstallations }: Known): string[] {
  return [...(publishedInstallations?.installations ?? [])].flatMap(([id, own]) => (own === log ? [id] : []));
}
