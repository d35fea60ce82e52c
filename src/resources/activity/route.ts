/** docs/spec/api.md#activity */
import { NO_STORE } from "../../http/common-headers.ts";
import { FOLLOWS_BLOCKS } from "../../http/edge.ts";
import { pathKey } from "../../http/keys.ts";
import type { Route } from "../../http/route.ts";
import { ACTIVITY_PATH, CATEGORIES } from "./keys.ts";
import { ACTIVITY_CURSOR_LENGTH } from "./page-query.ts";

export const activityRoute = {
  kind: "route",
  name: "activity",
  resource: "activity",
  anchor: "activity",
  path: ACTIVITY_PATH,
  handler: "activity",
  query: "page",
  objects: [],
  parameters: [
    { name: "category", pattern: `(?:${CATEGORIES.join("|")})` },
    { name: "limit", pattern: "[0-9]{1,3}" },
    { name: "cursor", pattern: `[A-Za-z0-9_-]{1,${ACTIVITY_CURSOR_LENGTH}}` },
  ],
  parts: [`${pathKey(ACTIVITY_PATH)}/`],
  queryError: "invalid_query",
  etag: false,
  conditional: false,
  notModifiedTag: false,
  sourceHeaders: false,
  cacheControl: NO_STORE,
  absent: "not_published",
  edgeSeconds: FOLLOWS_BLOCKS,
  staleIfErrorSeconds: 0,
} as const satisfies Route;
