/** The scopes that are planned together: the configured installation with every file, or one other installation. */
import { encodeWriterMetadata, type SourceVersion } from "../../src/object-store/stored-response.ts";
import type { Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { telemetryPublication, unknownTelemetryPublication } from "../../src/resources/telemetry/publication.ts";
import { installationTelemetryKey, TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import type { TileProgress } from "../known.ts";
import { planAnswers } from "./answers.ts";
import { configuredBefore, higherHistory, type NewNames, type Subject, subjectOf } from "./histories.ts";
import { planObservations } from "./observations.ts";
import type { Scope } from "./permitted-sources.ts";
import { joined, NOTHING, needs, type Plan, type Planning, type Put, type Unknown } from "./plan.ts";
import {
  type CurrentSources,
  currentSources,
  installationIn,
  isVersionOf,
  joinedFacts,
  type RefusedSources,
  shortHash,
  sourceRegression,
} from "./source-version.ts";

export interface ScopePlanning extends Planning {
  readonly names: NewNames;
  /** The configured installation's responses except telemetry, and every file. */
  readonly publications: readonly Publication[];
}

/** Plans the configured installation with every file, or one other installation. Throws `Failure` clock_behind. */
export function planScope(id: string, snapshot: Snapshot, planning: ScopePlanning): Plan {
  const { checked, unknown } = checkScope(id, snapshot, planning);
  const previous = id === snapshot.installationId ? planPrevious(id, snapshot, planning) : NOTHING;
  if (checked === undefined || previous.unknown.length > 0) return needs([...unknown, ...previous.unknown]);
  const scope: Scope = { snapshot, ...checked, after: previous.puts.map(({ key }) => key) };
  return joined([
    resultOf(scope),
    previous,
    planAnswers(publicationsOf(id, snapshot, planning), scope, planning),
    planObservations(scope, planning),
  ]);
}

/** A plan with the result of the check. An older index that came back is corrected even while a source is refused. */
function resultOf({ subject: { id, history, isPublished, isNamed }, refused }: Scope): Plan {
  const unnamed = isPublished && !isNamed ? ([[id, history]] as const) : [];
  return { ...NOTHING, checked: [{ installationId: id, refused }], unnamed };
}

export interface CheckedScope {
  /** Knowledge that must be looked up first. */
  readonly unknown: readonly Unknown[];
  /** Undefined while something is unknown. */
  readonly checked?: {
    readonly subject: Subject;
    readonly now: CurrentSources;
    readonly refused: RefusedSources;
  };
}

/**
 * Compares ledger and chain with everything that was published of an installation (docs/spec/publishing.md#asof). A
 * source that is behind or forked in one part must not advance another part.
 */
export function checkScope(id: string, snapshot: Snapshot, planning: ScopePlanning): CheckedScope {
  const { known, at } = planning;
  const { subject, published, unknown } = publishedOf(id, snapshot, planning);
  if (unknown.length > 0) return { unknown };
  const now = currentSources(snapshot, subject, at);
  const { refused, blocks } = sourceRegression(published, now, (number) => known.blocks.get(number));
  if (blocks.length > 0) return { unknown: blocks.map((number) => ({ is: "block", number })) };
  return { unknown, checked: { subject, now, refused } };
}

/** Returns every version that was published of an installation, or what must be looked up first. */
function publishedOf(id: string, snapshot: Snapshot, planning: ScopePlanning) {
  const { known, selected } = planning;
  const { subject, unknown: unknownSubject } = subjectOf(id, snapshot.installationId, planning);
  const { history, elsewhere } = subject;
  const unknown: Unknown[] = [...unknownSubject];
  const published = [...elsewhere];
  for (const { key } of ownPublications(id, snapshot, planning)) {
    const object = known.get(key);
    if (object === undefined) unknown.push({ is: "answer", key });
    else published.push(object.sourceVersion);
  }
  const isInLedger = snapshot.ledger !== undefined && installationIn(snapshot.ledger, id) !== undefined;
  if (unknownSubject.length === 0 && selected("observations") && isInLedger) {
    const progress = known.progress(id);
    if (progress?.history !== history) unknown.push({ is: "history", installationId: id, history });
    else if (progress.position > 0) published.push(newestTile(progress));
  }
  return { subject, published, unknown };
}

/** The newest observation tile as a published version, which states its last receipt. */
function newestTile({ history, position, telemetryId }: TileProgress): SourceVersion {
  return { at: 0, history, position, ...(telemetryId !== null && { telemetryId }) };
}

function publicationsOf(id: string, { installationId }: Snapshot, { publications }: ScopePlanning): Publication[] {
  if (id !== installationId) return [telemetryPublication(id, false)];
  return [unknownTelemetryPublication, telemetryPublication(id, true), ...publications];
}

/** Returns the responses that are computed from the installation's facts or its chain. */
function ownPublications(id: string, snapshot: Snapshot, planning: ScopePlanning): Publication[] {
  const isOwn = ({ sources: { installationId = id, kinds = [], usesChain = false } = {} }: Publication) =>
    installationId === id && (kinds.length > 0 || usesChain);
  return publicationsOf(id, snapshot, planning).filter(isOwn);
}

/**
 * Moves the telemetry of the previously configured installation to its own key, before another one takes its place
 * (docs/spec/publishing.md#asof). The version there joins all facts that were published of it, so that nothing goes
 * back if it becomes the configured one again.
 */
function planPrevious(id: string, snapshot: Snapshot, planning: ScopePlanning): Plan {
  const { known, at } = planning;
  const before = configuredBefore(known);
  if (before === undefined || before === id) return NOTHING;
  const keys = ownPublications(id, snapshot, planning).map(({ key }) => key);
  const key = installationTelemetryKey(before);
  const unknown = [...keys, key].filter((one) => known.get(one) === undefined);
  if (unknown.length > 0) return needs(unknown.map((one) => ({ is: "answer", key: one })));
  const of = shortHash(before);
  const versions = [...keys, key].flatMap((one) => {
    const sourceVersion = known.get(one)?.sourceVersion;
    return sourceVersion?.of === of ? [sourceVersion] : [];
  });
  const history = versions
    .map((one) => one.history ?? "1")
    .reduce((one, other) => higherHistory(one, other) ?? one, "1");
  const facts = versions.filter((one) => isVersionOf(one, of, history)).reduce(joinedFacts, { at: 0 });
  const stored = known.get(key)?.sourceVersion ?? { at: 0 };
  if (facts.facts === undefined || (isVersionOf(stored, of, history) && includes(stored, facts))) return NOTHING;
  const isStillThere =
    known.get(TELEMETRY_KEY)?.condition === "stored" && known.get(TELEMETRY_KEY)?.sourceVersion.of === of;
  const source = isStillThere ? TELEMETRY_KEY : key;
  const copied = known.get(source);
  if (copied === undefined || copied.condition !== "stored") return NOTHING;
  const found = known.object(source);
  if (found === undefined) return needs([{ is: "answer", key: source }]);
  const sourceVersion: SourceVersion = {
    ...facts,
    at: copied.sourceVersion.at,
    of,
    ...(history === "1" ? {} : { history }),
  };
  const put: Put = {
    key,
    resource: "telemetry",
    phase: "previous",
    why: "another installation is configured now",
    action: known.get(key)?.condition === "stored" ? "updated" : "created",
    status: copied.status,
    etag: copied.etag,
    replaces: known.get(key)?.tag ?? null,
    after: [],
    isContentEnough: false,
    object: ({ epoch, writer }) => ({
      body: found.body,
      contentType: found.contentType,
      metadata: { ...found.metadata, ...encodeWriterMetadata({ epoch, writer, sourceVersion }) },
    }),
    confirmed: (to, tag) => to.remember({ ...copied, key, tag, sourceVersion, putAt: at }),
    conflicted: (to) => to.forget(key),
  };
  return { ...NOTHING, puts: [put] };
}

function includes(stored: SourceVersion, facts: SourceVersion): boolean {
  const own = joinedFacts(stored, facts);
  return JSON.stringify([own.facts, own.position]) === JSON.stringify([stored.facts, stored.position]);
}
