/** The contract of observations: body, exchanges and texts (docs/spec/api.md#observations). */
import * as z from "zod";
import { uint256String } from "../../values/decimal.ts";
import { PROVENANCES } from "../../values/enums.ts";
import { type Contract, UNKNOWN_IDS } from "../contract.ts";
import { count, installationIdField, timestamp, uuid } from "../fields.ts";
import { OBSERVATIONS_LIMIT } from "./route.ts";

export const observationSchema = z.strictObject({
  cursor: z.string().min(1),
  telemetryId: uuid,
  bootId: uuid,
  counterEpoch: uuid,
  installationId: installationIdField,
  sequence: count,
  observedAt: timestamp,
  receivedAt: timestamp,
  cumulativeWorkUnits: uint256String,
  provenance: z.enum(PROVENANCES),
  softwareVersion: z.string(),
});

export const observationsSchema = z.strictObject({
  schemaVersion: z.literal(1),
  installationId: installationIdField,
  items: z.array(observationSchema).max(OBSERVATIONS_LIMIT.maximum),
  nextCursor: z.string().nullable(),
});

const PATH = "/v1/public/installations/{installationId}/observations";
const { maximum, default: fallback } = OBSERVATIONS_LIMIT;
const gets = (queries: readonly string[]) => queries.map((query) => `GET ${PATH}?${query}`).join("\n");

/** Spellings of a limit by the number of items that they mean: the maximum is 16 or more. */
const LIMITS: readonly (readonly [count: number, written: readonly string[]])[] = [
  [1, ["1", "0", "", "-5", "-0", "+", "1.0", "0x1"]],
  [2, ["2"]],
  [3, ["3.0"]],
  [4, ["+4"]],
  [5, ["%205%20"]],
  [7, ["7", "%37"]],
  [10, ["1e1"]],
  [16, ["0x10", "1.6e1"]],
  [maximum - 1, [String(maximum - 1)]],
  [maximum, [String(maximum), String(maximum + 1), "100000", "1e4"]],
  [fallback, ["2.5", "abc", "7a", "NaN", "Infinity", "%FF"]],
];
/** Cursors that no form of a positive position can have. */
const BAD_CURSORS = ["", "!", "0", "-1", "abc", "a%20b", "%FF", "%", "x".repeat(600)];

/** Any limit is accepted, a bad cursor is rejected, and the rest is ignored (format: src/verify/exchanges/format.ts). */
const OBSERVATIONS_EXCHANGES = [
  ...LIMITS.map(
    ([count, written]) =>
      `& query/limit\n${gets(written.map((value) => `limit=${value}`))}\nfirst ${count} items of ${PATH}?limit=${maximum}`,
  ),
  `& query/accepted\n${gets(["", "a", "a=1", "range=7d", "Limit=1", "%FF=1", "&&", "x=%zz"])}\nfirst ${fallback} items of ${PATH}?limit=${maximum}`,
  `& query/refused\n${gets(["cursor", "limit=5&cursor=!", "limit=5&cursor=", ...BAD_CURSORS.map((value) => `cursor=${value}`)])}\n400\n= {"error":"invalid_cursor"}`,
  `& path/unknown-id\n${UNKNOWN_IDS.map((id) => `GET ${PATH.replace("{installationId}", id)}`).join("\n")}\n200\n? items = []\n? nextCursor = null`,
].join("\n\n");

export const observationsContract = {
  operation: "observations",
  body: { name: "Observations", schema: observationsSchema },
  tag: "Measurement",
  summary: "History of accepted receipts",
  description: "Ordered by position, one page at a time.",
  rules: [
    "A cursor is exclusive: the page begins after it. docs/spec/api.md#observations 1",
    "nextCursor is the last item's cursor if another item exists, else null; null does not mean that no item will follow later. docs/spec/api.md#observations 4",
  ],
  exchanges: OBSERVATIONS_EXCHANGES,
  parameters: [
    {
      name: "cursor",
      description: "The nextCursor of the previous page. Without it, the first page.",
      form: "cursor",
    },
    {
      name: "limit",
      description: "Items per page. Never rejected: an integer is clamped, and anything else means the default.",
      form: { type: "integer", ...OBSERVATIONS_LIMIT },
    },
  ],
  cursor: {
    name: "ObservationCursor",
    pattern: "^[A-Za-z0-9_-]{1,24}$",
    description: "Opaque: an unchanged nextCursor. docs/spec/api.md#observations",
  },
  clientParameters: "PageParameters",
} as const satisfies Contract;
