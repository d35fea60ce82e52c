/** docs/spec/api.md#observations */
import type { Contract } from "../contract.ts";
import { OBSERVATIONS_EXCHANGES } from "./exchanges.ts";
import { OBSERVATIONS_LIMIT } from "./page-query.ts";
import { observationsSchema } from "./schema.ts";

export const observationsContract = {
  operation: "observations",
  body: { name: "Observations", schema: observationsSchema },
  tag: "Measurement",
  summary: "History of accepted receipts",
  description: "In the order of their positions, a page at a time.",
  rules: [
    "A cursor is exclusive: the page begins after it. docs/spec/api.md#observations 1",
    "nextCursor is the last item's cursor if another item exists, else null; null does not promise that nothing will come. docs/spec/api.md#observations 4",
  ],
  exchanges: OBSERVATIONS_EXCHANGES,
  parameters: [
    {
      name: "cursor",
      description: "The nextCursor of the page before; the first page without one.",
      form: "cursor",
    },
    {
      name: "limit",
      description: "Items of a page. Never rejected: an integer is clamped, all else is the default.",
      form: { type: "integer", ...OBSERVATIONS_LIMIT },
    },
  ],
  cursor: {
    name: "ObservationCursor",
    pattern: "^[A-Za-z0-9_-]{1,24}$",
    description: "Opaque: a nextCursor, unchanged. docs/spec/api.md#observations",
  },
  clientParameters: "PageParameters",
} as const satisfies Contract;
