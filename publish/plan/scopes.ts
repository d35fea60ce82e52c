/** The scopes that are planned together: the configured installation with every file, or one other installation. */
import { type Installation, installationRowId } from "../../src/ledger/watermarks.ts";
import { encodeWriterMetadata, type SourceVersion } from "../../src/object-store/stored-response.ts";
import type { Publication } from "../../src/resources/publication.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import { telemetryPublication, unknownTelemetryPublication } from "../../src/resources/telemetry/publication.ts";
import { installationTelemetryKey, TELEMETRY_KEY } from "../../src/resources/telemetry/route.ts";
import type { Failure } from "../../src/values/failure.ts";
import { type Planning, planAnswers } from "./answers.ts";
import { configuredBefore, higherHistory, type NewNames, type Subject, subjectOf } from "./histories.ts";
import { planObservations } from "./observations.ts";
import { joined, NOTHING, needs, type Plan, type Put, type Unknown } from "./plan.ts";
import {
  chainRegression,
  currentSourceVersion,
  isVersionOf,
  joinedFacts,
  ledgerRegression,
  publishedBlock,
  shortHash,
} from "./source-version.ts";

export interface ScopePlanning extends Planning {
  readonly names: NewNames;
  /** The configured installation's responses except telemetry, and every file. */
  readonly publications: readonly Publication[];
}

/** The configured installation, and every file. Throws `Failure` clock_behind. */
export function planOwn(snapshot: Snapshot, planning: ScopePlanning): Plan {
  const { installationId: id, ledger } = snapshot;
  const previous = planPrevious(id, planning);
  const { subject, unknown } = subjectOf(id, id, planning);
  if (unknown.length > 0 || previous.unknown.length > 0) return needs([...unknown, ...previous.unknown]);
  const answers = [unknownTelemetryPublication, telemetryPublication(id, true), ...planning.publications];
  const after = previous.puts.map(({ key }) => key);
  const rowId = ledger && installationRowId(ledger, id);
  const observations = rowId === undefined ? NOTHING : planObservations({ rowId, id }, subject, snapshot, planning);
  return joined([
    unnamed(subject),
    previous,
    planAnswers(answers, subject, snapshot, { ...planning, after }),
    observations,
  ]);
}

/** An installation other than the configured one. Throws `Failure` clock_behind. */
export function planOther(installation: Installation, snapshot: Snapshot, planning: ScopePlanning): Plan {
  const { id } = installation;
  const { subject, unknown } = subjectOf(id, snapshot.installationId, planning);
  if (unknown.length > 0) return needs(unknown);
  // First, because it often lacks the end of the tiles: then no response is built in vain.
  const observations = planObservations(installation, subject, snapshot, planning);
  if (observations.unknown.length > 0) return observations;
  const answers = planAnswers([telemetryPublication(id, false)], subject, snapshot, planning);
  return joined([unnamed(subject), answers, observations]);
}

/** An older index that comes back is corrected also while the ledger is refused. */
function unnamed({ id, history, isPublished, isNamed }: Subject): Plan {
  return { ...NOTHING, unnamed: isPublished && !isNamed ? [[id, history]] : [] };
}

/** Sources that would take back something that was published of the configured installation. */
export interface RefusedSources {
  readonly ledger?: Failure | undefined;
  readonly chain?: Failure | undefined;
}

/**
 * Checks ledger and chain against everything that was published of the configured installation
 * (docs/spec/publishing.md#asof). This comes first in a cycle: a source that is behind or forked in one part must not advance
 * another part.
 */
export function refusedSources(
  snapshot: Snapshot,
  planning: ScopePlanning,
): { readonly unknown: readonly Unknown[]; readonly refused: RefusedSources } {
  const { installationId: id } = snapshot;
  const { known, at } = planning;
  const own = ownPublications(id, planning);
  const { subject, unknown } = subjectOf(id, id, planning);
  const { history, elsewhere } = subject;
  const missing = own.flatMap(({ key }): Unknown[] => (known.get(key) === undefined ? [{ is: "answer", key }] : []));
  const versions = own.flatMap(({ key }) => known.get(key)?.sourceVersion ?? []);
  const now = currentSourceVersion(snapshot, { installationId: id, usesChain: true }, at, history);
  const blocks = [...versions, ...elsewhere].flatMap((one): Unknown[] => {
    const number = publishedBlock(one, now)?.number;
    return number === undefined || known.blocks.has(number) ? [] : [{ is: "block", number }];
  });
  const all = [...unknown, ...missing, ...blocks];
  if (all.length > 0) return { unknown: all, refused: {} };
  const of = shortHash(id);
  const facts = [...versions, ...elsewhere]
    .filter((one) => one.of === of && isVersionOf(one, of, history))
    // A ledger that has the facts of the highest count also has those of every lower count.
    .reduce(joinedFacts, { at: 0, of, ...(history === "1" ? {} : { history }) });
  const ledger = ledgerRegression(facts, { snapshot, installationId: id, version: facts });
  const blockAt = (number: string) => known.blocks.get(number);
  const chain = [...versions, ...elsewhere]
    .map((one) => chainRegression(one, { version: now, blockAt }))
    .find((one) => one !== undefined);
  return { unknown: [], refused: { ledger, chain } };
}

function ownPublications(id: string, { publications }: ScopePlanning): Publication[] {
  const isOwn = ({ sources: { installationId = id, kinds = [], usesChain = false } = {} }: Publication) =>
    installationId === id && (kinds.length > 0 || usesChain);
  return [telemetryPublication(id, true), ...publications.filter(isOwn)];
}

/**
 * Moves the telemetry of the previously configured installation to its own key, before another one takes its place
 * (docs/spec/publishing.md#asof). Its version there joins all facts that were published of it. So it can become the configured
 * one again without going back.
 */
function planPrevious(id: string, planning: ScopePlanning): Plan {
  const { known, at } = planning;
  const before = configuredBefore(known);
  if (before === undefined || before === id) return NOTHING;
  const keys = ownPublications(id, planning).map(({ key }) => key);
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
