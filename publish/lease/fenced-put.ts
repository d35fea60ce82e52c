/**
 * A put under the lease (docs/spec/publishing.md#one-writer): conditional on the tag that we know, and on a conflict told
 * apart by whose object is there: a later epoch's, our own (the answer to our put was lost), an earlier one's.
 */

import {
  type ObjectStore,
  StoreConflict,
  StoreDamaged,
  type StoredObject,
  type StoreObject,
  type StoreTag,
} from "../../src/object-store/object-store.ts";
import { readOrDamaged } from "../../src/object-store/read-or-damaged.ts";

export interface Fence {
  readonly epoch: number;
  readonly writer: string;
  /** Awaited before each put; rejects unless a put that starts now would end while the lease still holds. */
  beforePut(): Promise<void>;
  /**
   * Where the store holds an object of a later epoch: takes an epoch above it, if the lease is ours all the same (the
   * lease object had been lost, and epochs began anew). Rejects with `Failure` lease_lost (75) where it is not.
   */
  raiseAbove(epoch: number): Promise<void>;
}

/** What is in the store was put under an earlier lease, or is damaged, or absence was expected and is not so. */
export class Superseded extends Error {
  override readonly name = "Superseded";
  readonly found: StoredObject | StoreDamaged | undefined;

  constructor(key: string, found: StoredObject | StoreDamaged | undefined) {
    super(`${key} in the store is not what was put last`);
    this.found = found;
  }
}

export interface FencedObject {
  readonly key: string;
  readonly object: StoreObject;
  /** The tag of what it replaces; undefined where there is nothing yet. */
  readonly replaces: StoreTag | undefined;
}

/**
 * Gives the new object's tag. Throws `Superseded` for the caller to adopt what it finds, `Failure` lease_lost (75), or
 * the store's own errors.
 */
export async function fencedPut(
  { store, fence }: { readonly store: ObjectStore; readonly fence: Fence },
  { key, object, replaces }: FencedObject,
): Promise<StoreTag> {
  await fence.beforePut();
  try {
    return await store.put(key, object, replaces === undefined ? { ifAbsent: true } : { ifTag: replaces });
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error;
  }
  const found = await readOrDamaged(store, key);
  if (found === undefined || found instanceof StoreDamaged) throw new Superseded(key, found);
  const epoch = Number(found.metadata.epoch ?? 0);
  if (epoch > fence.epoch && Number.isSafeInteger(epoch)) await fence.raiseAbove(epoch);
  if (found.metadata.writer === fence.writer && sameObject(found, object)) return found.tag;
  throw new Superseded(key, found);
}

function sameObject(found: StoreObject, put: StoreObject): boolean {
  return (
    Buffer.compare(found.body, put.body) === 0 &&
    Object.entries(put.metadata).every(([name, value]) => found.metadata[name] === value)
  );
}
