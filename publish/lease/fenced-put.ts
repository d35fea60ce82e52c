/**
 * A put under the lease (design 1, 6): conditional on the tag that we know, and on a conflict told apart by whose
 * object stands there: a later epoch's (we have lost), our own (the answer to our put was lost), an earlier one's.
 */
import {
  type ObjectStore,
  StoreConflict,
  type StoredObject,
  type StoreObject,
  type StoreTag,
} from "../../src/object-store/object-store.ts";
import { decodeWriterMetadata } from "../../src/object-store/stored-answer.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";

export interface Fence {
  readonly epoch: number;
  readonly writer: string;
  /** Awaited before each put; rejects unless a put that starts now would end while the lease still holds. */
  beforePut(): Promise<void>;
}

/** What stands in the store was put under an earlier lease, or absence was expected and is not so. */
export class Superseded extends Error {
  override readonly name = "Superseded";
  readonly found: StoredObject | undefined;

  constructor(key: string, found: StoredObject | undefined) {
    super(`${key} in the store is not what was put last`);
    this.found = found;
  }
}

/**
 * Puts an object that must stand where `known` stood (undefined: where none stood). Returns its tag. Throws
 * `Superseded` for the caller to adopt what it finds, `Failure` lease_lost (75), or the store's own errors.
 */
export async function fencedPut(
  store: ObjectStore,
  fence: Fence,
  key: string,
  object: StoreObject,
  known: StoreTag | undefined,
): Promise<StoreTag> {
  await fence.beforePut();
  try {
    return await store.put(key, object, known === undefined ? { ifAbsent: true } : { ifTag: known });
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error;
    const found = await store.get(key, { fresh: true });
    if (found !== undefined) {
      const by = decodeWriterMetadata(found.metadata);
      if (by.epoch > fence.epoch) {
        throw new Failure("lease_lost", `${key} was put under the later epoch ${by.epoch}`, { exit: EXIT.locked });
      }
      if (by.writer === fence.writer && sameObject(found, object)) return found.tag;
    }
    throw new Superseded(key, found);
  }
}

function sameObject(found: StoreObject, put: StoreObject): boolean {
  return (
    Buffer.compare(found.body, put.body) === 0 &&
    Object.entries(put.metadata).every(([name, value]) => found.metadata[name] === value)
  );
}
