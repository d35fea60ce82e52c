/** What the publisher would remember of an answer, read back from the store. */
import { type ObjectStore, StoreDamaged, type StoredObject } from "../../src/object-store/object-store.ts";
import { decodeAnswer } from "../../src/object-store/stored-answer.ts";
import type { Published, PublishedObject } from "../state/published.ts";

function publishedFrom(key: string, found: StoredObject): PublishedObject {
  const answer = decodeAnswer(found);
  return {
    key,
    tag: found.tag,
    states: answer.states,
    asof: answer.writerMetadata.asof,
    status: answer.representation.status,
    bytes: found.body.length,
    etag: answer.representation.headers.etag ?? null,
    putAt: answer.writerMetadata.asof.at,
  };
}

/** An object that says nothing any more, and in whose place a good one is put. */
export function damagedObject({ key, tag }: StoreDamaged): PublishedObject {
  return { key, tag, states: [], asof: { at: 0 }, status: 0, bytes: 0, etag: null, putAt: 0 };
}

/** One that is gone, or damaged: what it was computed from is remembered, so that nothing older comes in its place. */
export function lostObject(known: PublishedObject, damaged: StoreDamaged | undefined): PublishedObject {
  return { ...known, tag: damaged?.tag ?? known.tag, states: [], status: 0, bytes: 0, etag: null };
}

export function isDamaged({ status }: PublishedObject): boolean {
  return status === 0;
}

/**
 * Remembers what is in the store under a key, and gives it; undefined where there is nothing, or what is there is
 * damaged. Throws the store's other errors.
 */
export async function readPublished(
  store: ObjectStore,
  published: Published,
  key: string,
): Promise<StoredObject | undefined> {
  try {
    const found = await store.get(key, { fresh: true });
    if (found !== undefined) published.remember(decoded(key, found));
    return found;
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error;
    published.remember(damagedObject(error));
    return undefined;
  }
}

/** Of an object that was found, what is remembered: also where it says nothing. */
export function publishedOrDamaged(key: string, found: StoredObject): PublishedObject {
  try {
    return decoded(key, found);
  } catch (error) {
    if (!(error instanceof StoreDamaged)) throw error;
    return damagedObject(error);
  }
}

function decoded(key: string, found: StoredObject): PublishedObject {
  try {
    const object = publishedFrom(key, found);
    // An array is an object to JSON, and its `at` a function.
    if (!Number.isFinite(object.asof.at)) throw new TypeError("its asof has no instant");
    return object;
  } catch (cause) {
    throw new StoreDamaged(key, found.tag, "it is no answer of Noonmark", { cause });
  }
}
