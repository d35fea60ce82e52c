/** docs/spec/api.md#modules */
import { FOLLOWS_RECEIPTS, STALE_IF_ERROR } from "../../http/edge.ts";
import { pathKey } from "../../http/keys.ts";
import type { Route } from "../../http/route.ts";

const PATH = "/v1/public/modules";
export const MODULES_KEY = pathKey(PATH);

export const modulesRoute = {
  kind: "route",
  name: "modules",
  resource: "modules",
  anchor: "modules",
  path: PATH,
  handler: "stored",
  query: "ignored",
  objects: [{ query: "", key: MODULES_KEY }],
  queryError: null,
  etag: false,
  conditional: false,
  notModifiedTag: false,
  sourceHeaders: false,
  cacheControl: null,
  absent: "not_published",
  edgeSeconds: FOLLOWS_RECEIPTS,
  staleIfErrorSeconds: STALE_IF_ERROR,
} as const satisfies Route;
