/** Iterates over all pages of observations and events, and polls a call for changes. */

import { pause, type Runtime, throwIfAborted } from "./exchange.ts";
import { API_ERROR_CODES, type Ask } from "./generated/methods.ts";
import { NoonmarkError } from "./noonmark-error.ts";
import type { ActivityCategory, ActivityEvent, ApiResponse, CallOptions, Observation } from "./types.ts";

interface EachObservationParameters {
  /** An observation's cursor, to get only later ones. Absent to begin at the start of history. */
  readonly after?: string | undefined;
  /** Observations per request, 1 to 100. */
  readonly limit?: number | undefined;
}

export type EachObservation = (
  id: string,
  parameters?: EachObservationParameters,
  options?: CallOptions,
) => AsyncGenerator<Observation, void, undefined>;

export function eachObservation(ask: Ask): EachObservation {
  return (id, { after, limit } = {}, { signal } = {}) =>
    walk(async (cursor) => (await ask("observations", { id, cursor, limit }, { signal })).body, after, signal);
}

interface EachActivityParameters {
  readonly category?: ActivityCategory | undefined;
  /** Events per request, 1 to 100. */
  readonly limit?: number | undefined;
}

export type EachActivity = (
  parameters?: EachActivityParameters,
  options?: CallOptions,
) => AsyncGenerator<ActivityEvent, void, undefined>;

/** If a page is unavailable, throws an error with the reason as code. */
export function eachActivity(ask: Ask): EachActivity {
  return ({ category, limit } = {}, { signal } = {}) => {
    const read = async (cursor: string | undefined) => {
      const { body } = await ask("activity", { category, limit, cursor }, { signal });
      if (body.status === "unavailable") {
        if (!API_ERROR_CODES.includes(body.reason)) throw invalid("has an unknown reason");
        throw new NoonmarkError(body.reason, "unavailable", { status: 200 });
      }
      return { items: body.events, nextCursor: body.nextCursor };
    };
    return walk(read, undefined, signal);
  };
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor: string | null;
}

/**
 * Yields items page by page. An item that arrives during the walk is included if its page comes later. Throws
 * `invalid_response` if a body is not a page. Also throws it if a cursor repeats or comes with an empty page, because the
 * walk would never end.
 */
async function* walk<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
  first: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<unknown>([first]);
  for (let cursor = first; ; ) {
    const { items, nextCursor } = await read(cursor);
    if (!Array.isArray(items) || (nextCursor !== null && typeof nextCursor !== "string"))
      throw invalid("is not a page");
    for (const item of items as readonly Item[]) {
      throwIfAborted(signal);
      yield item;
    }
    throwIfAborted(signal);
    if (nextCursor === null) return;
    if (items.length === 0) throw invalid("is empty with a next cursor");
    if (seen.has(nextCursor)) throw invalid("repeats a cursor");
    seen.add(nextCursor);
    cursor = nextCursor;
  }
}

function invalid(what: string): NoonmarkError {
  return new NoonmarkError("invalid_response", `the response ${what}`, { status: 200 });
}

export interface WatchOptions extends CallOptions {
  /** Milliseconds from a response to the next request: at least 100, 5,000 by default. */
  readonly every?: number | undefined;
}

const DEFAULT_EVERY_MS = 5_000;
const MIN_EVERY_MS = 100;

/** Yields the first response, then each one whose body or tag differs from the previous. */
export async function* watch<Body>(
  ask: () => Promise<ApiResponse<Body>>,
  { every = DEFAULT_EVERY_MS, signal }: WatchOptions,
  runtime: Runtime,
): AsyncGenerator<ApiResponse<Body>, void, undefined> {
  // Written so that NaN also gives the minimum.
  const interval = every > MIN_EVERY_MS ? every : MIN_EVERY_MS;
  let last: ApiResponse<Body> | undefined;
  for (;;) {
    const response = await ask();
    throwIfAborted(signal);
    if (last === undefined || differs(last, response)) {
      last = response;
      yield response;
    }
    await pause(interval, signal, runtime);
  }
}

/** Tags are not sufficient: telemetry's tag identifies the receipt, not its age. */
function differs(last: ApiResponse<unknown>, { body, etag }: ApiResponse<unknown>): boolean {
  return last.etag !== etag || (last.body !== body && JSON.stringify(last.body) !== JSON.stringify(body));
}
