/** The scopes that are planned together: the configured installation with every file, or one other installation. */
import { installationRowId } from "../../src/ledger/watermarks.ts";
import type { SourceVersion } from "../../src/object-store/stored-response.ts";
import type { Snapshot } from "../../src/resources/snapshot.ts";
import type { TileProgress } from "../known.ts";
import { planAnswers } from "./answers.ts";
import { type Responses, responsesOf, type Subject, subjectOf } from "./histories.ts";
import { planObservations } from "./observations.ts";
import type { Scope } from "./permitted-sources.ts";
import { joined, NOTHING, needs, type Plan, type Planning, type Unknown } from "./plan.ts";
import { type CurrentSources, currentSources, type RefusedSources, sourceRegression } from "./source-version.ts";

export interface ScopePlanning extends Planning, Responses {}

/** Plans the configured installation with every file, or one other installation. Throws `Failure` clock_behind. */
export function planScope(id: string, snapshot: Snapshot, planning: ScopePlanning): Plan {
  const { checked, unknown } = checkScope(id, snapshot, planning);
  if (checked === undefined) return needs(unknown);
  const scope: Scope = { snapshot, ...checked };
  return joined([
    resultOf(scope),
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
 * Compares ledger and chain with everything that was published of an installation (docs/spec/publishing.md#source-version). A
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
