/** Records an executed plan in memory: when each object is due again, which sources are behind, and the report. */
import { observationsKey } from "../src/resources/observations/route.ts";
import { isNamed } from "./plan/histories.ts";
import type { Plan, PlannedAnswer } from "./plan/plan.ts";
import { confirmTiles } from "./plan/tile-sets.ts";
import type { PutOutcome } from "./put.ts";
import { failedRow, type ReportRow } from "./report.ts";
import type { Session } from "./session.ts";
import type { CycleSources } from "./sources/source-reader.ts";

export interface Acknowledging {
  /** Epoch ms. */
  readonly at: number;
  readonly session: Session;
  readonly sources: CycleSources;
  /** The report so far. */
  readonly rows: ReportRow[];
  /** The scope is not planned again: conflicts are reported as failures. */
  readonly isLast: boolean;
}

export function acknowledge(plan: Plan, outcomes: readonly PutOutcome[], acknowledging: Acknowledging): void {
  const { at, session, rows, isLast } = acknowledging;
  const { pace, refused, dirty, known } = session;
  const byKey = new Map(outcomes.map((outcome) => [outcome.put.key, outcome]));
  for (const [key, until] of plan.waits) pace.wait(key, until);
  for (const { installationId: id, refused: now } of plan.checked) {
    if (now.ledger === undefined && now.chain === undefined) refused.delete(id);
    else refused.set(id, now);
    if (now.ledger !== undefined) dirty.keep(id);
  }
  for (const { publication, inputs, row } of plan.failed) {
    if (inputs !== undefined) pace.failed(publication.key, inputs, at);
    if (row !== undefined) rows.push(row);
  }
  for (const answer of plan.answers) acknowledgeAnswer(answer, byKey.get(answer.publication.key), acknowledging);
  for (const { installationId: id, until, hasPuts } of plan.observations) {
    dirty.clear(id);
    if (hasPuts) pace.tilesPut(id, at);
    else pace.tilesWait(id, until);
  }
  for (const set of plan.tileSets) {
    const isWhole = outcomes.every(
      ({ put, result }) => result === "done" || (put.key !== set.head && !put.key.startsWith(set.prefix)),
    );
    if (isWhole) confirmTiles(known, set, at);
  }
  const answers = new Set(plan.answers.map(({ publication }) => publication.key));
  for (const outcome of outcomes) {
    if (answers.has(outcome.put.key)) continue;
    const row = rowOf(outcome, isLast);
    if (row === undefined) continue;
    if (row.action !== "failed") pace.rest(outcome.put.key);
    else if (row.resource === "observations") failTiles(row, session);
    rows.push(row);
  }
  for (const [id, history] of plan.unnamed) session.names.set(id, history);
  nameInstallations(plan, outcomes, session);
}

function acknowledgeAnswer(
  { publication, inputs, put, why, isPlaceholder, dueAt, milliseconds }: PlannedAnswer,
  outcome: PutOutcome | undefined,
  { at, session, sources, rows, isLast }: Acknowledging,
): void {
  const { key, resource, publishedBody } = publication;
  const { pace, known } = session;
  const built = () => pace.built(key, { ...inputs, dueAt, builtAt: isPlaceholder ? 0 : at });
  if (put === undefined) {
    built();
    const { status = null, bytes = 0, etag = null } = known.get(key) ?? {};
    rows.push({ key, resource, action: "unchanged", why, status, bytes, etag, milliseconds });
    return;
  }
  if (outcome === undefined) return;
  const row = rowOf({ ...outcome, milliseconds: outcome.milliseconds + milliseconds }, isLast);
  if (row === undefined) return;
  if (row.action === "failed") pace.failed(key, inputs, at);
  else {
    built();
    const body = known.body(key);
    const history = publishedBody?.history;
    if (history !== undefined && body !== undefined) sources.write((snapshot) => history.save(snapshot, body));
  }
  rows.push(row);
}

/** Returns undefined for a conflict that the next attempt resolves. */
function rowOf({ put, result, bytes, milliseconds }: PutOutcome, isLast: boolean): ReportRow | undefined {
  const { key, resource, action, why, status, etag } = put;
  if (result === "done") return { key, resource, action, why, status, bytes, etag, milliseconds };
  if (result !== "conflicted") return failedRow(put, result.failed);
  return isLast ? failedRow(put, new Error(`${key} in the store is not what was put last`)) : undefined;
}

/** Marks the installation of a tile that could not be put, so that the next cycle plans it again. */
function failTiles({ key }: ReportRow, { dirty }: Session): void {
  const [, id] = /^v1\/public\/installations\/~([^/]+)\/observations\//.exec(key) ?? [];
  if (id !== undefined) dirty.keep(id);
}

/** Adds installations to the names that the index lacks, once all of their tiles are stored. */
function nameInstallations({ observations }: Plan, outcomes: readonly PutOutcome[], session: Session): void {
  const { known, names } = session;
  for (const { installationId: id } of observations) {
    const history = known.progress(id)?.history;
    if (history === undefined) continue;
    const hasFailed = outcomes.some(({ put, result }) => result !== "done" && put.key.startsWith(observationsKey(id)));
    if (!hasFailed && !isNamed(known, id, history)) names.set(id, history);
  }
}
