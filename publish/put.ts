/**
 * Executes a plan. Only this code writes or deletes objects. Each put is conditional and needs the lease
 * (docs/spec/publishing.md#one-writer). After a crash at any point, no stored object refers to a missing one.
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
import type { Snapshots } from "../src/resources/snapshot.ts";
import { Failure } from "../src/values/failure.ts";
import { eachLimited } from "./each-limited.ts";
import type { Known } from "./known.ts";
import { type Deletion, PHASES, type Put } from "./plan/plan.ts";

/** The lease, as a put needs it. */
interface LeaseGuard {
  readonly epoch: number;
  readonly writer: string;
  /** Awaited before each put; rejects unless a put that starts now would end while the lease still holds. */
  beforePut(): Promise<void>;
  /** Raises our epoch above that of a stored object. Rejects with `Failure` lease_lost (75) if the lease is not ours. */
  raiseAbove(epoch: number): Promise<void>;
}

export interface PutTarget {
  /** Objects are built from them right before their puts. */
  readonly sources: Snapshots;
  readonly known: Known;
  readonly store: ObjectStore;
  readonly fence: LeaseGuard;
  /** Puts in flight. */
  readonly concurrency: number;
  /** Epoch ms. */
  readonly at: number;
}

/** `conflicted`: the store holds something else than `known` says. The next plan looks it up. */
export interface PutOutcome {
  readonly put: Put;
  readonly result: "done" | "conflicted" | { readonly failed: unknown };
  readonly bytes: number;
  readonly milliseconds: number;
}

/**
 * Puts phase by phase. `before`: outcomes of puts for which these may wait. Throws what stops a publisher: a lost lease, a clock that is behind. Throws `StoreUnavailable` if the
 * lease cannot be renewed.
 */
export async function executePuts(
  puts: readonly Put[],
  target: PutTarget,
  before: readonly PutOutcome[] = [],
): Promise<PutOutcome[]> {
  const { fence, known } = target;
  // If the lease object was lost, epochs began at 1 again.
  if (puts.length > 0 && known.highestEpoch > fence.epoch) await fence.raiseAbove(known.highestEpoch);
  const done = new Map(before.map((outcome) => [outcome.put.key, outcome]));
  const outcomes: PutOutcome[] = [];
  for (const phase of PHASES) {
    const own = puts.filter((put) => put.phase === phase);
    await eachLimited(own, target.concurrency, async (put) => {
      const started = performance.now();
      const [result, bytes] = await resultOf(put, done, target);
      const outcome = { put, result, bytes, milliseconds: performance.now() - started };
      done.set(put.key, outcome);
      outcomes.push(outcome);
    });
  }
  return outcomes;
}

async function resultOf(
  put: Put,
  outcomes: ReadonlyMap<string, PutOutcome>,
  target: PutTarget,
): Promise<[PutOutcome["result"], bytes: number]> {
  try {
    const waitsFor = put.after.find((key) => !isStored(key, outcomes, target.known));
    if (waitsFor !== undefined) {
      const first = outcomes.get(waitsFor)?.result;
      if (first === "conflicted") return ["conflicted", 0];
      throw typeof first === "object" ? first.failed : constantMissing(waitsFor);
    }
    const object = put.object(target.fence, (use) => target.sources.snapshot(use));
    if (object === undefined) return ["conflicted", 0];
    const tag = await fencedPut(put, object, target);
    if (tag === undefined) return ["conflicted", object.body.length];
    put.confirmed(target.known, tag, object);
    return ["done", object.body.length];
  } catch (error) {
    if (stopsAll(error)) throw error;
    return [{ failed: error }, 0];
  }
}

function isStored(key: string, outcomes: ReadonlyMap<string, PutOutcome>, known: Known): boolean {
  const outcome = outcomes.get(key);
  return outcome === undefined ? known.objects.get(key)?.condition === "stored" : outcome.result === "done";
}

/** `Failure` for a response that later becomes a constant which is not stored. Readers would find nothing after its end. */
function constantMissing(key: string): Failure {
  return new Failure("constant_missing", `${key} is not in the store yet`);
}

/** Returns the new tag; undefined after a conflict. Throws the store's own errors, lease_… (75). */
async function fencedPut(put: Put, object: StoreObject, target: PutTarget): Promise<StoreTag | undefined> {
  const { key, replaces, isContentEnough } = put;
  try {
    const { tag, found } = await putUnderLease(
      { key, object, replaces, isContentEnough, repeated: () => target.known.objects.doubt(key, target.at) },
      target,
    );
    if (tag === undefined) put.conflicted(target.known, found);
    return tag;
  } catch (error) {
    if (error instanceof StoreUnavailable) {
      // The put may be done already or may arrive later, so the object must be read before `known` is trusted again.
      put.conflicted(target.known, undefined);
      target.known.objects.doubt(key, target.at);
    }
    throw error;
  }
}

export interface UnderLease extends Pick<Put, "key" | "replaces"> {
  readonly object: StoreObject;
  readonly isContentEnough?: boolean;
  /** Called if the request was sent again: the first one may still arrive. */
  readonly repeated?: () => void;
}

/**
 * Makes one put under the lease. A result without `tag` is a conflict. `found` is then the stored object, undefined if there
 * is none. Throws the store's own errors, lease_… (75).
 */
export async function putUnderLease(
  { key, object, replaces, isContentEnough = false, repeated }: UnderLease,
  { store, fence }: Pick<PutTarget, "store" | "fence">,
): Promise<{ readonly tag?: StoreTag; readonly found?: StoredObject | StoreDamaged | undefined }> {
  await fence.beforePut();
  try {
    const condition = replaces === null ? ({ ifAbsent: true } as const) : { ifTag: replaces };
    return { tag: await store.put(key, object, repeated === undefined ? condition : { ...condition, repeated }) };
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error;
  }
  const found = await readOrDamaged(store, key);
  if (found !== undefined && !(found instanceof StoreDamaged)) {
    const epoch = Number(found.metadata.epoch ?? 0);
    if (epoch > fence.epoch && Number.isSafeInteger(epoch)) await fence.raiseAbove(epoch);
    const isSameBody = Buffer.compare(found.body, object.body) === 0;
    const isOwn = found.metadata.writer === fence.writer && hasMetadata(found, object);
    if (isSameBody && (isContentEnough || isOwn)) return { tag: found.tag };
  }
  return { found };
}

function hasMetadata(found: StoredObject, object: StoreObject): boolean {
  return Object.entries(object.metadata).every(([name, value]) => found.metadata[name] === value);
}

/** Deletes objects under the lease. Throws the store's own errors, lease_… (75). */
export async function executeDeletions(
  deletions: readonly Deletion[],
  { store, fence, known }: Pick<PutTarget, "store" | "fence" | "known">,
): Promise<void> {
  for (const deletion of deletions) {
    await fence.beforePut();
    await store.delete(deletion.key);
    deletion.confirmed(known);
  }
}

/** True if an error ends the publisher. Otherwise only the put of one object has failed. */
function stopsAll(error: unknown): boolean {
  if (!(error instanceof Failure)) return false;
  return error.isAbout("lease") || error.isAbout("clock") || error.hasFault("locked") || error.hasFault("forbidden");
}
