/** The events that the page holds: the newest page, as it is asked again, and older ones that the reader had loaded. */
import type { ActivityEvent } from "../data/bodies.ts";

/** At most this many events, however often the reader asks for older ones. */
export const MOST_EVENTS = 500;

export interface Feed {
  readonly events: readonly ActivityEvent[];
  /** The cursor of older events; null at the end of all or of the kept ones. */
  readonly cursor: string | null;
  /** The reader had older events loaded, which a newer first page must not take away. */
  readonly extended: boolean;
}

interface Page {
  readonly events: readonly ActivityEvent[];
  readonly nextCursor: string | null;
}

/**
 * A newer first page takes the place of the first page, so a page left open for days does not grow. After older events
 * were loaded, newer ones are added; if there is a gap between both, only the newer ones are kept.
 */
export function withNewest(feed: Feed | undefined, { events, nextCursor }: Page): Feed {
  if (feed === undefined || !feed.extended) return { events, cursor: nextCursor, extended: false };
  const held = new Set(feed.events.map(({ id }) => id));
  const fresh = events.filter(({ id }) => !held.has(id));
  if (fresh.length === 0) return feed;
  if (fresh.length === events.length) return { events, cursor: nextCursor, extended: false };
  return cut({ ...feed, events: [...fresh, ...feed.events] });
}

export function withOlder(feed: Feed, { events, nextCursor }: Page): Feed {
  const held = new Set(feed.events.map(({ id }) => id));
  const added = events.filter(({ id }) => !held.has(id));
  return cut({ events: [...feed.events, ...added], cursor: nextCursor, extended: true });
}

function cut(feed: Feed): Feed {
  return feed.events.length < MOST_EVENTS ? feed : { ...feed, events: feed.events.slice(0, MOST_EVENTS), cursor: null };
}
