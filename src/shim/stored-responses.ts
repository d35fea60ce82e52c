/**
 * From a stored object to its response at an instant: the successor that holds, with its edits and headers
 * (docs/spec/publishing.md#future). The result is kept with the object, so that a store that returns the same object
 * again saves the parsing.
 */

import type { FileRow, Route } from "../http/route.ts";
import { applyEdits, type Successor, successorAt, validUntil } from "../http/successor.ts";
import { decodedAs, type StoredObject } from "../object-store/object-store.ts";
import { decodeResponse, type StoredResponse } from "../object-store/stored-response.ts";
import { andThen, type MaybePromise, type StoreReader } from "./context.ts";
import { type FullResponse, rowResponse } from "./full-response.ts";

/** The response of an object from one of its instants on: the stored one (`undefined`), or a successor. */
interface Unfolded {
  readonly stored: StoredResponse;
  readonly full: Map<Successor | undefined, FullResponse>;
}

const unfolded = new Map<Route | FileRow, WeakMap<StoredObject, Unfolded>>();

/** The response of the object at a key as of `now`; `undefined` if there is no such object. */
export function storedResponse(
  row: Route | FileRow,
  key: string,
  store: StoreReader,
  now: number,
): MaybePromise<FullResponse | undefined> {
  return andThen(store.get(key), (object) => {
    if (object === undefined) return undefined;
    const { stored, full } = unfold(row, object, key);
    const successor = successorAt(stored.successors, now);
    // A constant response ends a chain: it has no successors of its own.
    if (successor?.key !== undefined) return constantResponse(row, successor.key, store);
    const known = full.get(successor);
    if (known !== undefined) return known;
    const until = validUntil(stored.successors, now);
    const made = {
      ...rowResponse(
        row,
        representationOf(stored, successor),
        applyEdits(stored.body, successor?.edits ?? []),
        object.contentType,
      ),
      ...(until === undefined ? {} : { validUntil: until }),
    };
    full.set(successor, made);
    return made;
  });
}

/** Unreadable metadata are the store's fault, not the client's: never half a response. */
export function decodeStored(object: StoredObject, key: string): StoredResponse {
  return decodedAs(key, object, decodeResponse);
}

function constantResponse(
  row: Route | FileRow,
  key: string,
  store: StoreReader,
): MaybePromise<FullResponse | undefined> {
  return andThen(store.get(key), (object) => {
    if (object === undefined) return undefined;
    const { representation, body } = unfold(row, object, key).stored;
    return rowResponse(row, representation, body);
  });
}

function representationOf(
  { representation }: StoredResponse,
  successor: Successor | undefined,
): StoredResponse["representation"] {
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
    entry = { stored: decodeStored(object, key), full: new Map() };
    known.set(object, entry);
  }
  return entry;
}
