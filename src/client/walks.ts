/** Every observation, and every event, from page to page until there is no next one. */
import type { CallOptions } from "./answer.ts";
import { throwIfAborted } from "./exchange/abort.ts";
import type { Ask } from "./generated/methods.ts";
import { NoonmarkError } from "./noonmark-error.ts";
import type { ActivityCategory, ActivityEvent, Observation } from "./parameters.ts";

export interface EachObservationParameters {
  /** The cursor of an observation: only later ones; without it from the start of history. */
  readonly after?: string | undefined;
  /** Observations of one request, 1 to 100. */
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

export interface EachActivityParameters {
  readonly category?: ActivityCategory | undefined;
  /** Events of one request, 1 to 100. */
  readonly limit?: number | undefined;
}

export type EachActivity = (
  parameters?: EachActivityParameters,
  options?: CallOptions,
) => AsyncGenerator<ActivityEvent, void, undefined>;

/** A page that is unavailable is an error here: its reason is the code. */
export function eachActivity(ask: Ask): EachActivity {
  return ({ category, limit } = {}, { signal } = {}) => {
    const read = async (cursor: string | undefined) => {
      const { body } = await ask("activity", { category, limit, cursor }, { signal });
      if (body.status === "unavailable") throw new NoonmarkError(body.reason, "unavailable", { status: 200 });
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
 * Items in the order of their pages. What arrives while the walk is going on is in it where its page comes later.
 * Throws `invalid_answer` for what is no page, and for a cursor that comes a second time or with an empty page: the walk
 * would never end.
 */
async function* walk<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
  first: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<unknown>([first]);
  for (let cursor = first; ; ) {
    const { items, nextCursor } = await read(cursor);
    if (!Array.isArray(items) || (nextCursor !== null && typeof nextCursor !== "string")) throw invalid("is no page");
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
  return new NoonmarkError("invalid_answer", `the answer ${what}`, { status: 200 });
}
