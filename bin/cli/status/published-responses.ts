/** Reads the current responses from the store, not from the publisher's report. */

import { successorAt } from "../../../src/http/successor.ts";
import { type ObjectStore, StoreDamaged } from "../../../src/object-store/object-store.ts";
import { RESPONSE_KEYS } from "../../../src/resources/find.ts";
import { formatTimestamp } from "../../../src/values/timestamp.ts";
import { readResponse } from "../configured-store.ts";

export interface PublishedResponse {
  /** URL path with its query. */
  readonly route: string;
  readonly key: string;
  /** When it was computed; null if there is no good object. */
  readonly asOf: string | null;
  /** The current HTTP status. */
  readonly status: number | null;
  /** The next instant at which it changes without new facts. */
  readonly nextChangeAt: string | null;
  /** Why readers get no response; null if they get one. */
  readonly problem: string | null;
}

/**
 * Returns each response of the configured installation, in the order of the routes. A missing object is a problem if
 * its key is in `reported`, the keys reported as put; others were never published. `now` is in epoch ms. Throws
 * `StoreUnavailable`.
 */
export async function publishedResponses(
  store: ObjectStore,
  reported: ReadonlySet<string>,
  now: number,
): Promise<PublishedResponse[]> {
  const responses: PublishedResponse[] = [];
  for (const [route, key] of RESPONSE_KEYS) {
    const response = await readPublished(store, key, now);
    if (response !== undefined) responses.push({ route, key, ...response });
    else if (reported.has(key)) responses.push({ route, key, ...without("missing in the store") });
  }
  return responses;
}

type Found = Omit<PublishedResponse, "route" | "key">;

async function readPublished(store: ObjectStore, key: string, now: number): Promise<Found | undefined> {
  try {
    const response = await readResponse(store, key);
    if (response === undefined) return undefined;
    const { representation, successors, at } = response;
    const current = successorAt(successors, now);
    const next = successors.find(({ from }) => from > now);
    return {
      asOf: formatTimestamp(at),
      status: current?.key === undefined ? representation.status : await statusOf(store, current.key),
      nextChangeAt: next === undefined ? null : formatTimestamp(next.from),
      problem: null,
    };
  } catch (error) {
    if (error instanceof StoreDamaged) return without(error.message);
    throw error;
  }
}

/** The constant that replaces a response after its validity; without it the shim responds like an unavailable store. */
async function statusOf(store: ObjectStore, key: string): Promise<number> {
  return (await readResponse(store, key))?.representation.status ?? 503;
}

function without(problem: string): Found {
  return { asOf: null, status: null, nextChangeAt: null, problem };
}
