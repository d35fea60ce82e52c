/** What the publisher would remember of an answer, read back from the store. */
import type { StoredObject } from "../../src/object-store/object-store.ts";
import { decodeAnswer } from "../../src/object-store/stored-answer.ts";
import type { PublishedObject } from "../state/published.ts";

export function publishedFrom(key: string, found: StoredObject): PublishedObject {
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
