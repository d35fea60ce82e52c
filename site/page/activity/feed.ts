/** The events that the page shows: the first page, which is refreshed, and older events that the reader has loaded. */
import type { ActivityEvent } from "../data/bodies.ts";

/** The maximum number of events, however often the reader loads older ones. */
export const MOST_EVENTS = 500;

export interface Feed {
  readonly events: readonly ActivityEvent[];
  /** The cursor of older events; null after the last event or at the limit. */
  readonly cursor: string | null;
  /** True if the reader has loaded older events. A newer first page must not remove them. */
  readonly extended: boolean;
}

interface Page {
  readonly events: readonly ActivityEvent[];
  readonly nextCursor: string | null;
}

/**
 * Replaces the first page by a newer one, so that a page that is open for days does not grow. If older events were
 * loaded, adds the newer ones. If there is a gap between them, keeps only the newer ones.
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
