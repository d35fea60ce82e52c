/** The events that the page holds: the newest page, as it is asked again, and older ones that the reader had loaded. */
import type { ActivityEvent } from "../data/bodies.ts";

/** A page left open for days must not grow without end. */
export const MOST_EVENTS = 500;

export interface Feed {
  readonly events: readonly ActivityEvent[];
  /** Where older ones go on; null at the end of what there is, or of what is kept. */
  readonly cursor: string | null;
}

interface Page {
  readonly events: readonly ActivityEvent[];
  readonly nextCursor: string | null;
}

/** A newer first page. Where it does not reach what is held, that is let go: a gap must not look like a sequence. */
export function withNewest(feed: Feed | undefined, { events, nextCursor }: Page): Feed {
  if (feed === undefined) return { events, cursor: nextCursor };
  const held = new Set(feed.events.map(({ id }) => id));
  const fresh = events.filter(({ id }) => !held.has(id));
  if (fresh.length === 0) return feed;
  if (fresh.length === events.length) return { events, cursor: nextCursor };
  return cut({ events: [...fresh, ...feed.events], cursor: feed.cursor });
}

export function withOlder(feed: Feed, { events, nextCursor }: Page): Feed {
  const held = new Set(feed.events.map(({ id }) => id));
  return cut({ events: [...feed.events, ...events.filter(({ id }) => !held.has(id))], cursor: nextCursor });
}

function cut(feed: Feed): Feed {
  return feed.events.length < MOST_EVENTS ? feed : { events: feed.events.slice(0, MOST_EVENTS), cursor: null };
}
