/** What holds of a walk through the activity feed, and what a walk has seen. */
import { family } from "../../../judge/rule.ts";

export const ACTIVITY_WALK = family("activity-walk", {
  "goes-on": [
    "each page goes on below the one before, and no event comes twice",
    "bind the cursor to category and key of the last event; put the whole query into the cache key",
  ],
  order: [
    "events descend from page to page, by time and below that by position",
    "order the whole feed by time, then by position",
  ],
  size: [
    "a page that has a nextCursor is full, and one without is the last",
    "give nextCursor exactly where an older event exists",
  ],
  smaller: ["smaller pages hold the same events", "cut pages at the limit alone"],
  categories: [
    "all holds the events of the three others, and they hold all of it",
    "fill every category from one feed",
  ],
  misuse: [
    "another category's cursor, or the observations', is refused by all and measurement, and indexer_unavailable in the chain's own",
    "bind the cursor to its category",
  ],
});

export interface Event {
  readonly id: string;
  readonly type: string;
  readonly occurredAt: string;
  readonly source: { readonly kind: string };
  readonly [name: string]: unknown;
}
export interface Page {
  readonly status: string;
  readonly reason?: string;
  readonly events: readonly Event[];
  readonly nextCursor: string | null;
}
export interface Walked {
  readonly events: readonly Event[];
  readonly complete: boolean;
  /** The cursor behind the first event. */
  readonly cursor: string | undefined;
}
