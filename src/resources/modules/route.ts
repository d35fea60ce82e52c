/** docs/spec/api.md#modules */

import { pathKey } from "../../http/keys.ts";
import { RECEIPTS_EDGE_SECONDS, ROUTE_RULES, type Route, STALE_IF_ERROR } from "../../http/route.ts";

const PATH = "/v1/public/modules";
export const MODULES_KEY = pathKey(PATH);

export const modulesRoute = {
  ...ROUTE_RULES,
  name: "modules",
  resource: "modules",
  anchor: "modules",
  path: PATH,
  query: "ignored",
  objects: [{ query: "", key: MODULES_KEY }],
  queryError: null,
  edgeSeconds: RECEIPTS_EDGE_SECONDS,
  staleIfErrorSeconds: STALE_IF_ERROR,
} as const satisfies Route;
