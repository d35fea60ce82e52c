/**
 * From a stored object to its response at an instant: the successor that holds, with its edits and headers
 * (docs/spec/publishing.md#future). The result is kept with the object, so that a store that returns the same object again
 * saves the parsing.
 */

import type { FileRow, Route } from "../http/route.ts";
import { applyEdits, type Successor, successorAt, validUntil } from "../http/successor.ts";
import { decodedAs, type StoredObject } from "../object-store/object-store.ts";
import { decodeAnswer, type StoredAnswer } from "../object-store/stored-answer.ts";
import { type FullAnswer, rowAnswer } from "./full-answer.ts";
import type { StoreReader } from "./recent.ts";
import { type Soon, soon } from "./soon.ts";

/** The response of an object from one of its instants on: the stored one (`undefined`), or a successor. */
interface Unfolded {
  readonly answer: StoredAnswer;
  readonly full: Map<Successor | undefined, FullAnswer>;
}

const unfolded = new Map<Route | FileRow, WeakMap<StoredObject, Unfolded>>();

/** The response of the object at a key as of `now`; `undefined` if there is no such object. */
export function storedAnswer(
  row: Route | FileRow,
  key: string,
  store: StoreReader,
  now: number,
): Soon<FullAnswer | undefined> {
  return soon(store.get(key), (object) => {
    if (object === undefined) return undefined;
    const { answer, full } = unfold(row, object, key);
    const successor = successorAt(answer.successors, now);
    // A constant response ends a chain: it has no successors of its own.
    if (successor?.key !== undefined) return constantAnswer(row, successor.key, store);
    const known = full.get(successor);
    if (known !== undefined) return known;
    const until = validUntil(answer.successors, now);
    const made = {
      ...rowAnswer(row, headOf(answer, successor), applyEdits(answer.body, successor?.edits ?? []), object.contentType),
      ...(until === undefined ? {} : { validUntil: until }),
    };
    full.set(successor, made);
    return made;
  });
}

/** Unreadable metadata are the store's fault, not the client's: never half a response. */
export function decodeStored(object: StoredObject, key: string): StoredAnswer {
  return decodedAs(key, object, decodeAnswer);
}

function constantAnswer(row: Route | FileRow, key: string, store: StoreReader): Soon<FullAnswer | undefined> {
  return soon(store.get(key), (object) => {
    if (object === undefined) return undefined;
    const { representation, body } = unfold(row, object, key).answer;
    return rowAnswer(row, representation, body);
  });
}

function headOf({ representation }: StoredAnswer, successor: Successor | undefined): StoredAnswer["representation"] {
  if (successor?.headers === undefined) return representation;
  const headers = Object.entries({ ...representation.headers, ...successor.headers });
  return {
    status: representation.status,
    headers: Object.fromEntries(headers.filter((header): header is [string, string] => header[1] !== null)),
  };
}

function unfold(row: Route | FileRow, object: StoredObject, key: string): Unfolded {
  let known = unfolded.get(row);
  if (known === undefined) {
    known = new WeakMap();
    unfolded.set(row, known);
  }
  let entry = known.get(object);
  if (entry === undefined) {
    entry = { answer: decodeStored(object, key), full: new Map() };
    known.set(object, entry);
  }
  return entry;
}
