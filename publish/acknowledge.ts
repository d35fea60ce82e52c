/** Records an executed plan in memory: when each object is due again, which sources are behind, and the report. */
import { observationsKey, parseObservationTileKey } from "../src/resources/observations/route.ts";
import { type Due, RETRY_AFTER_MS } from "./due.ts";
import type { Known } from "./known.ts";
import { isListed } from "./plan/check.ts";
import type { Plan, PlannedResponse } from "./plan/plan.ts";
import { confirmTiles } from "./plan/tile-sets.ts";
import type { PutOutcome } from "./put.ts";
import { failedRow, type ReportRow } from "./report.ts";

export interface Acknowledging {
  /** Epoch ms. */
  readonly at: number;
  readonly known: Known;
  readonly due: Due;
  /** The report so far. */
  readonly rows: ReportRow[];
  /** The scope is not planned again: conflicts are reported as failures. */
  readonly isLast: boolean;
}

export function acknowledge(plan: Plan, outcomes: readonly PutOutcome[], acknowledging: Acknowledging): void {
  const { at, known, due, rows, isLast } = acknowledging;
  const byKey = new Map(outcomes.map((outcome) => [outcome.put.key, outcome]));
  for (const [key, until] of plan.waits) due.wait(key, until);
  for (const { installationId: id, refused: now } of plan.checked) {
    if (now.ledger === undefined && now.chain === undefined) due.refused.delete(id);
    else due.refused.set(id, now);
  }
  for (const { publication, inputs, error } of plan.failed) {
    const row = error === undefined ? undefined : failedRow(publication, error);
    if (inputs !== undefined) due.failed(publication.key, inputs, at, row);
    if (row !== undefined) rows.push(row);
  }
  for (const response of plan.responses)
    acknowledgeResponse(response, byKey.get(response.publication.key), acknowledging);
  for (const { installationId: id, until, hasPuts } of plan.observations) {
    if (hasPuts) due.tilesPut(id, at);
    else due.rest(observationsKey(id));
    if (until !== undefined) due.wait(observationsKey(id), until);
  }
  for (const set of plan.tileSets) {
    const isWhole = outcomes.every(
      ({ put, result }) => result === "done" || (put.key !== set.head && !put.key.startsWith(set.prefix)),
    );
    if (isWhole) confirmTiles(known, set, at);
  }
  const responses = new Set(plan.responses.map(({ publication }) => publication.key));
  for (const outcome of outcomes) {
    const { key } = outcome.put;
    if (responses.has(key)) continue;
    const row = rowOf(outcome, isLast);
    if (row === undefined) continue;
    const tile = parseObservationTileKey(key);
    if (row.action !== "failed") due.rest(key);
    else if (tile !== undefined) due.replan(tile.installationId, at + RETRY_AFTER_MS, row);
    rows.push(row);
  }
  for (const id of plan.unlisted) known.unlisted.add(id);
  listInstallations(plan, outcomes, known);
}

function acknowledgeResponse(
  { publication, inputs, put, why, isProvisional, dueAt, milliseconds, failure }: PlannedResponse,
  outcome: PutOutcome | undefined,
  { at, known, due, rows, isLast }: Acknowledging,
): void {
  const { key, resource } = publication;
  if (failure !== undefined) {
    const row = failedRow(publication, failure);
    due.failed(key, inputs, at, row);
    rows.push(row);
    return;
  }
  const built = () => due.built(key, { ...inputs, at: isProvisional ? 0 : at }, dueAt);
  if (put === undefined) {
    built();
    const { status = null, bytes = 0, etag = null } = known.objects.get(key) ?? {};
    rows.push({ key, resource, action: "unchanged", why, status, bytes, etag, milliseconds });
    return;
  }
  if (outcome === undefined) return;
  const row = rowOf({ ...outcome, milliseconds: outcome.milliseconds + milliseconds }, isLast);
  if (row === undefined) return;
  if (row.action === "failed") due.failed(key, inputs, at, row);
  else built();
  rows.push(row);
}

/** Returns undefined for a conflict that the next attempt resolves. */
function rowOf({ put, result, bytes, milliseconds }: PutOutcome, isLast: boolean): ReportRow | undefined {
  const { key, resource, action, why, status, etag } = put;
  if (result === "done") return { key, resource, action, why, status, bytes, etag, milliseconds };
  if (result !== "conflicted") return failedRow(put, result.failed);
  return isLast ? failedRow(put, new Error(`${key} in the store is not what was put last`)) : undefined;
}

/** Adds installations to those that the index lacks, once all of their tiles are stored. */
function listInstallations({ observations }: Plan, outcomes: readonly PutOutcome[], known: Known): void {
  for (const { installationId: id } of observations) {
    if (known.tiles.progress(id) === undefined) continue;
    const hasFailed = outcomes.some(({ put, result }) => result !== "done" && put.key.startsWith(observationsKey(id)));
    if (!hasFailed && !isListed(known, id)) known.unlisted.add(id);
  }
}
