/** docs/spec/api.md#observations */
import { FOLLOWS_RECEIPTS, STALE_IF_ERROR } from "../../http/edge.ts";
import { INSTALLATIONS_KEY } from "../../http/keys.ts";
import type { Route } from "../../http/route.ts";
import { observationsKey } from "./keys.ts";

export const observationsRoute = {
  kind: "route",
  name: "observations",
  resource: "observations",
  anchor: "observations",
  path: "/v1/public/installations/{installationId}/observations",
  handler: "observations",
  query: "page",
  objects: [],
  parameters: [
    { name: "cursor", pattern: "[A-Za-z0-9_-]{1,24}" },
    { name: "limit", pattern: "[0-9]{1,3}" },
  ],
  parts: [`${observationsKey("{installationId}")}/`, INSTALLATIONS_KEY, `${INSTALLATIONS_KEY}/`],
  queryError: "invalid_cursor",
  etag: false,
  conditional: false,
  notModifiedTag: false,
  sourceHeaders: false,
  cacheControl: null,
  absent: "not_published",
  edgeSeconds: FOLLOWS_RECEIPTS,
  staleIfErrorSeconds: STALE_IF_ERROR,
} as const satisfies Route;
