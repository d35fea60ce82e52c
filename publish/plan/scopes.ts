/** The scopes that are planned together: the configured installation with every file, or one other installation. */
import { unavailable } from "../../src/http/errors.ts";
import { installationRowId } from "../../src/ledger/watermarks.ts";
import { encodeWriterMetadata, type SourceVersion } from "../../src/object-store/stored-response.ts";
import type { Built } from "../../src/resources/built.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { installationTelemetryKey, TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import type { KnownObject, TileProgress } from "../known.ts";
import { planAnswers } from "./answers.ts";
import { responsePut } from "./decide.ts";
import {
  configuredBefore,
  higherHistory,
  type NewNames,
  ownKeys,
  type Responses,
  responsesOf,
  type Subject,
  subjectOf,
  telemetryOwner,
} from "./histories.ts";
import { planObservations } from "./observations.ts";
import type { Scope } from "./permitted-sources.ts";
import { joined, NOTHING, needs, type Plan, type Planning, type Put, type Unknown } from "./plan.ts";
import {
  type CurrentSources,
  currentSources,
  isVersionOf,
  joinedFacts,
  type RefusedSources,
  shortHash,
  sourceRegression,
} from "./source-version.ts";
import { futureOf } from "./successors.ts";

export interface ScopePlanning extends Planning, Responses {
  readonly names: NewNames;
}

/** Plans the configured installation with every file, or one other installation. Throws `Failure` clock_behind. */
export function planScope(id: string, snapshot: Snapshot, planning: ScopePlanning): Plan {
  const { checked, unknown } = checkScope(id, snapshot, planning);
  const previous = id === planning.configured ? planPrevious(id, planning) : NOTHING;
  if (checked === undefined || previous.unknown.length > 0) return needs([...unknown, ...previous.unknown]);
  const scope: Scope = { snapshot, ...checked, after: previous.puts.map(({ key }) => key) };
  return joined([
    resultOf(scope),
    previous,
    planAnswers(responsesOf(id, planning), scope, planning),
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
  const { subject, unknown: unknownSubject } = subjectOf(id, planning);
  const unknown: Unknown[] = [...unknownSubject];
  const published = [...subject.published];
  const isInLedger = snapshot.ledger !== undefined && installationRowId(snapshot.ledger, id) !== undefined;
  if (unknown.length === 0 && selected("observations") && isInLedger) {
    const { history } = subject;
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

/**
 * Moves the telemetry of a previously configured installation to its own key, before another one takes its place. There are two
 * if a change was interrupted: the one in the index, and the one whose telemetry is stored.
 */
function planPrevious(id: string, planning: ScopePlanning): Plan {
  const owners = [configuredBefore(id, planning.known), telemetryOwner(id, planning.known)];
  const unknown = owners.flatMap((owner) => owner.unknown ?? []);
  if (unknown.length > 0) return needs(unknown);
  const before = new Set(owners.flatMap((owner) => owner.id ?? []));
  before.delete(id);
  return joined([...before].map((one) => planMove(one, planning)));
}

const LOST: Built = { ...unavailable("store_unavailable"), lasting: "store_unavailable" };

/**
 * Moves one installation's telemetry. The version under its own key joins all facts that were published of it
 * (docs/spec/publishing.md#asof), so that nothing goes back if it becomes the configured one again.
 */
function planMove(before: string, planning: ScopePlanning): Plan {
  const { known, at } = planning;
  const key = installationTelemetryKey(before);
  const keys = [...ownKeys(planning.configured, planning), key];
  const unknown = keys.filter((one) => known.get(one) === undefined);
  if (unknown.length > 0) return needs(unknown.map((one) => ({ is: "answer", key: one })));
  const of = shortHash(before);
  const versions = keys.flatMap((one) => {
    const sourceVersion = known.get(one)?.sourceVersion;
    return sourceVersion?.of === of ? [sourceVersion] : [];
  });
  const history = versions
    .map((one) => one.history ?? "1")
    .reduce((one, other) => higherHistory(one, other) ?? one, "1");
  const facts = versions.filter((one) => isVersionOf(one, of, history)).reduce(joinedFacts, { at: 0 });
  const [replaced, telemetry] = [known.get(key), known.get(TELEMETRY_KEY)];
  const stored = replaced?.sourceVersion ?? { at: 0 };
  if (replaced === undefined || facts.facts === undefined) return NOTHING;
  if (isVersionOf(stored, of, history) && includes(stored, facts)) return NOTHING;
  const isStillThere = telemetry?.condition === "stored" && telemetry.sourceVersion.of === of;
  const copied = isStillThere ? telemetry : replaced;
  const versionAt = (instant: number) => ({ ...facts, at: instant, of, ...(history === "1" ? {} : { history }) });
  // The telemetry that was lost may have been newer than the copy under its own key.
  const isOlder = telemetry?.condition !== "stored" && (stored.position ?? 0) < (facts.position ?? 0);
  if (isOlder || copied.condition !== "stored") return { ...NOTHING, puts: [lostPut(replaced, versionAt(at))] };
  const found = known.object(copied.key);
  if (found === undefined) return needs([{ is: "answer", key: copied.key }]);
  const sourceVersion = versionAt(copied.sourceVersion.at);
  const put: Put = {
    key,
    resource: "telemetry",
    phase: "previous",
    why: "another installation is configured now",
    action: replaced.condition === "stored" ? "updated" : "created",
    status: copied.status,
    etag: copied.etag,
    replaces: replaced.tag,
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

/** Puts a 503 in place of telemetry that was lost, because an older copy must not be served. */
function lostPut(before: KnownObject, sourceVersion: SourceVersion): Put {
  const future = futureOf(() => LOST, sourceVersion.at);
  const decision = {
    put: true,
    why: "its telemetry was lost",
    dueAt: undefined,
    isPlaceholder: false,
    future,
  } as const;
  const place = { key: before.key, resource: "telemetry", phase: "previous", after: [], keepsBody: false } as const;
  return responsePut(decision, { ...place, before, sourceVersion });
}

function includes(stored: SourceVersion, facts: SourceVersion): boolean {
  const own = joinedFacts(stored, facts);
  return JSON.stringify([own.facts, own.position]) === JSON.stringify([stored.facts, stored.position]);
}
