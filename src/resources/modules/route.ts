/** docs/spec/api.md#modules */

import { pathKey } from "../../http/keys.ts";
import { FOLLOWS_RECEIPTS, ROUTE_RULES, type Route, STALE_IF_ERROR } from "../../http/route.ts";

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
  edgeSeconds: FOLLOWS_RECEIPTS,
  staleIfErrorSeconds: STALE_IF_ERROR,
} as const satisfies Route;
