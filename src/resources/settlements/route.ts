/** docs/spec/api.md#settlements */
import { REVALIDATE } from "../../http/common-headers.ts";
import { FOLLOWS_BLOCKS } from "../../http/edge.ts";
import { pathKey } from "../../http/keys.ts";
import type { Route } from "../../http/route.ts";

const PATH = "/v4/public/settlements";
export const SETTLEMENT_RANGES = ["now", "24h", "7d", "30d"] as const;
export type SettlementRange = (typeof SETTLEMENT_RANGES)[number];

/** `queue` is the response to `range=now&queue=1`. */
export function settlementsKey(range: SettlementRange | "queue"): string {
  return pathKey(PATH, range);
}

/** The common fields of both versions. */
export const SETTLEMENTS_RULES = {
  handler: "stored",
  query: "exact",
  queryError: "invalid_query",
  etag: true,
  conditional: true,
  notModifiedTag: false,
  sourceHeaders: true,
  cacheControl: REVALIDATE,
  absent: "not_published",
  edgeSeconds: FOLLOWS_BLOCKS,
  staleIfErrorSeconds: 0,
} as const;

export const settlementsRoute = {
  kind: "route",
  name: "settlements",
  resource: "settlements",
  anchor: "settlements",
  path: PATH,
  objects: [
    ...SETTLEMENT_RANGES.map((range) => ({ query: `range=${range}`, key: settlementsKey(range) })),
    { query: "range=now&queue=1", key: settlementsKey("queue") },
  ],
  ...SETTLEMENTS_RULES,
} as const satisfies Route;
