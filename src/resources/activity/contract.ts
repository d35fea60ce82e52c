/** docs/spec/api.md#activity */
import type { Contract } from "../contract.ts";
import { ACTIVITY_EXCHANGES } from "./exchanges.ts";
import { CATEGORIES } from "./keys.ts";
import { ACTIVITY_CURSOR_LENGTH, ACTIVITY_LIMIT } from "./page-query.ts";
import { activitySchema } from "./schema.ts";

export const activityContract = {
  operation: "activity",
  body: { name: "Activity", schema: activitySchema },
  tag: "Chain",
  summary: "Feed of settlements, players and milestones",
  description: "Newest first. A cursor is good for the category it came from.",
  rules: [
    "Types are unique; each event's type is active and of the category. docs/spec/api.md#activity-types 2",
    "Chain events match the body's chain, release and contracts, and lie at or below the safe block. docs/spec/api.md#activity-types 6",
    "measurement.rpm_record is in the schema and is never served. docs/spec/api.md#activity-types 1",
    "Order is by occurredAt, at one instant chain events first. docs/spec/api.md#activity-order 1",
  ],
  exchanges: ACTIVITY_EXCHANGES,
  parameters: [
    { name: "category", description: "Which events.", form: { type: "string", enum: CATEGORIES, default: "all" } },
    {
      name: "limit",
      description: "Events of a page, in canonical decimal digits.",
      form: { type: "integer", ...ACTIVITY_LIMIT },
    },
    {
      name: "cursor",
      description: "The nextCursor of the page before; the first page without one.",
      form: "cursor",
    },
  ],
  cursor: {
    name: "ActivityCursor",
    pattern: `^[A-Za-z0-9_-]{1,${ACTIVITY_CURSOR_LENGTH}}$`,
    description: "Opaque: a nextCursor of the same category, unchanged. docs/spec/api.md#activity-order",
  },
  clientParameters: "ActivityParameters",
} as const satisfies Contract;
