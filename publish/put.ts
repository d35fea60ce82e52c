/**
 * Puts the objects of a step (docs/spec/publishing.md#head). Only this code writes or deletes objects besides the head. A
 * put whose tag is unknown, or that conflicts, reads the tag, swaps the head, and puts on that tag.
 */

import {
  type ObjectStore,
  readOrDamaged,
  StoreConflict,
  StoreDamaged,
  type StoredObject,
  type StoreObject,
  type StoreTag,
  StoreUnavailable,
} from "../src/object-store/object-store.ts";
import { sealOf } from "../src/object-store/seal-node.ts";
import type { ResourceName } from "../src/resources/table.ts";
import { Failure } from "../src/values/failure.ts";
import { eachLimited } from "./each-limited.ts";
import type { Head } from "./head/head.ts";
import type { HeldHead } from "./head/held-head.ts";
import { wholeCheckpoint } from "./published-log.ts";
import type { ReportRow } from "./report.ts";

/** The order of puts. An object comes before one that names it, so that no crash leaves a name without its object. */
const WAVES = [
  "log",
  "checkpoint",
  "first-index",
  "tiles",
  "index-tiles",
  "constants",
  "observations",
  "responses",
  "index",
] as const;
type Wave = (typeof WAVES)[number];

/** One object that should be stored. */
export interface Put {
  readonly key: string;
  readonly resource: ResourceName;
  readonly wave: Wave;
  readonly object: StoreObject;
  /** The tag of the stored object; null: none is stored; undefined: unknown. */
  readonly replaces: StoreTag | null | undefined;
  /** Keys that must be stored before. */
  readonly after?: readonly string[];
  /** Why, and the response's status and ETag, for the report. */
  readonly why: string;
  readonly action: "created" | "updated";
  readonly status: number;
  readonly etag: string | null;
}

export interface PutTarget {
  readonly store: ObjectStore;
  readonly held: HeldHead;
  /** Requests in flight. */
  readonly concurrency: number;
}

export type Outcome = {
  readonly put: Put;
  readonly row: ReportRow;
} & ({ readonly tag: StoreTag } | { readonly tag?: undefined });

/** How often the tag of one object is read again. */
const TRIES = 3;

/** By key. */
export type Outcomes = Map<string, Outcome>;

/**
 * Puts wave by wave, and adds to `outcomes` what was done, also if it throws. An outcome without a tag has failed:
 * another publisher's objects are in the way, or an object that must be stored before has failed. Throws
 * `StoreUnavailable`, `Failure` lease_lost, lease_expired, clock_….
 */
export async function executePuts(
  puts: readonly Put[],
  target: PutTarget,
  outcomes: Outcomes = new Map(),
): Promise<Outcome[]> {
  for (const wave of WAVES) {
    let pending: readonly Pending[] = puts
      .filter((put) => put.wave === wave)
      .map((put) => ({ put, tag: put.replaces }));
    for (let tries = 0; pending.length > 0 && tries <= TRIES; tries++) {
      pending = await readUnknownTags(pending, outcomes, target);
      pending = await putOnce(pending, outcomes, target);
    }
    for (const { put } of pending) {
      const why = `${put.key} in the store is not what was put last`;
      outcomes.set(put.key, { put, row: rowOf(put, "failed", why, 0) });
    }
  }
  return [...outcomes.values()];
}

interface Pending {
  readonly put: Put;
  /** As in `Put.replaces`. */
  readonly tag: StoreTag | null | undefined;
}

/** Puts each object once. Returns those that conflicted. */
async function putOnce(
  pending: readonly Pending[],
  outcomes: Outcomes,
  { store, held, concurrency }: PutTarget,
): Promise<Pending[]> {
  const conflicted: Pending[] = [];
  await eachLimited(pending, concurrency, async ({ put, tag }) => {
    const { key, object, after = [] } = put;
    const missing = after.find((other) => !isStored(other, outcomes, held.head));
    if (missing !== undefined) {
      outcomes.set(key, { put, row: rowOf(put, "failed", `${missing} is not in the store yet`, 0) });
      return;
    }
    await held.beforePut();
    const started = performance.now();
    const repeated = () => held.doubt(key);
    try {
      const condition = tag === null || tag === undefined ? { ifAbsent: true as const } : { ifTag: tag };
      const stored = await store.put(key, object, { ...condition, repeated });
      outcomes.set(key, { put, tag: stored, row: rowOf(put, put.action, put.why, performance.now() - started) });
    } catch (error) {
      // The put may be done already, or may arrive later.
      if (error instanceof StoreUnavailable) held.doubt(key);
      if (!(error instanceof StoreConflict)) throw error;
      conflicted.push({ put, tag: undefined });
    }
  });
  return conflicted;
}

function isStored(key: string, outcomes: Outcomes, { responses, unfinished }: Head): boolean {
  const outcome = outcomes.get(key);
  if (outcome !== undefined) return outcome.tag !== undefined;
  return responses[key] !== undefined && !unfinished.keys.includes(key);
}

/**
 * Reads the tags that are unknown, and then swaps the head: that proves that nobody newer has put these objects. An
 * object that is already what would be put is done.
 */
async function readUnknownTags(
  pending: readonly Pending[],
  outcomes: Outcomes,
  { store, held, concurrency }: PutTarget,
): Promise<Pending[]> {
  const unknown = pending.filter(({ tag }) => tag === undefined);
  if (unknown.length === 0) return [...pending];
  const known = pending.filter(({ tag }) => tag !== undefined);
  await refuseOlderHead(store, held.head);
  await eachLimited(unknown, concurrency, async ({ put }) => {
    const found = await readOrDamaged(store, put.key);
    if (found !== undefined && isSame(found, put.object)) {
      outcomes.set(put.key, { put, tag: found.tag, row: rowOf(put, "unchanged", "already stored", 0) });
    } else known.push({ put, tag: found?.tag ?? null });
  });
  await held.swap();
  return known;
}

function isSame(found: StoredObject | StoreDamaged, object: StoreObject): boolean {
  if (found instanceof StoreDamaged || found.contentType !== object.contentType) return false;
  return sealOf(found) === sealOf(object);
}

/**
 * A checkpoint beyond the head's log proves that an older head came back. Throws `Failure` head_older: the next cycle
 * continues from the checkpoint.
 */
async function refuseOlderHead(store: ObjectStore, { log }: Head): Promise<void> {
  const stored = await wholeCheckpoint(store, log.form);
  if (stored === undefined || stored.size <= log.size) return;
  const sizes = `the checkpoint has ${stored.size} entries, and the head ${log.size}`;
  throw new Failure("head_older", `an older head is in the store: ${sizes}`);
}

function rowOf(put: Put, action: ReportRow["action"], why: string, milliseconds: number): ReportRow {
  const { key, resource, object, status, etag } = put;
  return { key, resource, action, why, status, bytes: object.body.length, etag, milliseconds };
}

/** Deletes objects. Throws as `executePuts`. */
export async function executeDeletions(keys: readonly string[], { store, held }: PutTarget): Promise<void> {
  for (const key of keys) {
    await held.beforePut();
    await store.delete(key);
  }
}
