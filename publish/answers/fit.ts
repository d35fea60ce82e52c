/**
 * An answer within what a store holds of metadata (docs/spec/publishing.md#objects): what does not fit shortens the
 * future that it carries, from its end. At the last instant that it carries the publisher puts it anew.
 */
import { MAX_METADATA_BYTES } from "../../src/object-store/check-object.ts";
import type { StoreObject } from "../../src/object-store/object-store.ts";
import { encodeAnswer, type StoredAnswer } from "../../src/object-store/stored-answer.ts";
import { EXIT, Failure } from "../../src/values/failure.ts";

export interface FittedAnswer {
  readonly object: StoreObject;
  readonly states: StoredAnswer["states"];
}

/** Throws `Failure` metadata_too_large where not even the next change fits: without it the answer would not end in time. */
export function fitAnswer(answer: StoredAnswer): FittedAnswer {
  for (let kept = answer.successors.length; kept >= Math.min(1, answer.successors.length); kept--) {
    const states = answer.states.slice(0, kept + 1);
    const object = encodeAnswer({ ...answer, states, successors: answer.successors.slice(0, kept) });
    if (metadataBytes(object) <= MAX_METADATA_BYTES) return { object, states };
  }
  throw new Failure("metadata_too_large", `the next change does not fit into ${MAX_METADATA_BYTES} bytes of metadata`, {
    exit: EXIT.failed,
  });
}

export function metadataBytes({ metadata }: StoreObject): number {
  return Object.entries(metadata).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
}
