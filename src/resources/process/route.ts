/** docs/spec/api.md#process */
import { REVALIDATE } from "../../http/common-headers.ts";
import { pathKey } from "../../http/keys.ts";
import { RECEIPTS_EDGE_SECONDS, ROUTE_RULES, type Route } from "../../http/route.ts";

const PATH = "/v4/public/process";
export const PROCESS_KEY = pathKey(PATH);

export const processRoute = {
  ...ROUTE_RULES,
  name: "process",
  resource: "process",
  anchor: "process",
  path: PATH,
  objects: [{ query: "", key: PROCESS_KEY }],
  etag: true,
  conditional: true,
  notModifiedTag: true,
  cacheControl: REVALIDATE,
  edgeSeconds: RECEIPTS_EDGE_SECONDS,
} as const satisfies Route;
