/** docs/spec/api.md#settlements */
import { REVALIDATE } from "../../http/common-headers.ts";
import { pathKey } from "../../http/keys.ts";
import { BLOCKS_EDGE_SECONDS, ROUTE_RULES, type Route } from "../../http/route.ts";

const PATH = "/v4/public/settlements";
export const SETTLEMENT_RANGES = ["now", "24h", "7d", "30d"] as const;
export type SettlementRange = (typeof SETTLEMENT_RANGES)[number];

/** `queue` selects the response to `range=now&queue=1`. */
export function settlementsKey(range: SettlementRange | "queue"): string {
  return pathKey(PATH, range);
}

/** Common fields of both versions. */
export const SETTLEMENTS_RULES = {
  ...ROUTE_RULES,
  etag: true,
  conditional: true,
  sourceHeaders: true,
  cacheControl: REVALIDATE,
  edgeSeconds: BLOCKS_EDGE_SECONDS,
} as const;

export const settlementsRoute = {
  ...SETTLEMENTS_RULES,
  name: "settlements",
  resource: "settlements",
  anchor: "settlements",
  path: PATH,
  objects: [
    ...SETTLEMENT_RANGES.map((range) => ({ query: `range=${range}`, key: settlementsKey(range) })),
    { query: "range=now&queue=1", key: settlementsKey("queue") },
  ],
} as const satisfies Route;
