/** docs/spec/api.md#statistics */
import { REVALIDATE } from "../../http/common-headers.ts";
import { FOLLOWS_BLOCKS } from "../../http/edge.ts";
import { pathKey } from "../../http/keys.ts";
import type { Route } from "../../http/route.ts";

const PATH = "/v2/public/stats";
export const RANGES = ["7d", "30d"] as const;
export type StatisticsRange = (typeof RANGES)[number];

export function statisticsKey(range: StatisticsRange): string {
  return pathKey(PATH, range);
}

export const statisticsRoute = {
  kind: "route",
  name: "statistics",
  resource: "statistics",
  anchor: "statistics",
  path: PATH,
  handler: "stored",
  query: "exact",
  objects: RANGES.map((range) => ({ query: `range=${range}`, key: statisticsKey(range) })),
  queryError: "invalid_query",
  etag: true,
  conditional: true,
  notModifiedTag: true,
  sourceHeaders: false,
  cacheControl: REVALIDATE,
  absent: "database_busy",
  edgeSeconds: FOLLOWS_BLOCKS,
  staleIfErrorSeconds: 0,
} as const satisfies Route;
