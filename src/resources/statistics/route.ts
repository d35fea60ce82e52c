/** docs/spec/api.md#statistics */
import { REVALIDATE } from "../../http/common-headers.ts";
import { pathKey } from "../../http/keys.ts";
import { BLOCKS_EDGE_SECONDS, ROUTE_RULES, type Route } from "../../http/route.ts";

const PATH = "/v2/public/stats";
export const RANGES = ["7d", "30d"] as const;
export type StatisticsRange = (typeof RANGES)[number];
/** Noon-to-noon days of a range, the current one included. */
export const DAYS_OF_RANGE = { "7d": 7, "30d": 30 } as const satisfies Record<StatisticsRange, number>;

export function statisticsKey(range: StatisticsRange): string {
  return pathKey(PATH, range);
}

export const statisticsRoute = {
  ...ROUTE_RULES,
  name: "statistics",
  resource: "statistics",
  anchor: "statistics",
  path: PATH,
  objects: RANGES.map((range) => ({ query: `range=${range}`, key: statisticsKey(range) })),
  etag: true,
  conditional: true,
  notModifiedTag: true,
  cacheControl: REVALIDATE,
  absent: "database_busy",
  edgeSeconds: BLOCKS_EDGE_SECONDS,
} as const satisfies Route;
