/** What a cursor consists of; what it means is the service's own (docs/spec/api.md#observations, #activity-order). */
import { ACTIVITY_CURSOR_LENGTH } from "../resources/activity/page-query.ts";

export const CURSORS = {
  ObservationCursor: {
    pattern: "^[A-Za-z0-9_-]{1,24}$",
    description: "Opaque: a nextCursor, unchanged. docs/spec/api.md#observations",
  },
  ActivityCursor: {
    pattern: `^[A-Za-z0-9_-]{1,${ACTIVITY_CURSOR_LENGTH}}$`,
    description: "Opaque: a nextCursor of the same category, unchanged. docs/spec/api.md#activity-order",
  },
} as const;
