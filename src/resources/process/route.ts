/** docs/spec/api.md#process */
import { REVALIDATE } from "../../http/common-headers.ts";
import { FOLLOWS_RECEIPTS } from "../../http/edge.ts";
import { pathKey } from "../../http/keys.ts";
import type { Route } from "../../http/route.ts";

const PATH = "/v4/public/process";
export const PROCESS_KEY = pathKey(PATH);

export const processRoute = {
  kind: "route",
  name: "process",
  resource: "process",
  anchor: "process",
  path: PATH,
  handler: "stored",
  query: "exact",
  objects: [{ query: "", key: PROCESS_KEY }],
  queryError: "invalid_query",
  etag: true,
  conditional: true,
  notModifiedTag: true,
  sourceHeaders: false,
  cacheControl: REVALIDATE,
  absent: "not_published",
  edgeSeconds: FOLLOWS_RECEIPTS,
  staleIfErrorSeconds: 0,
} as const satisfies Route;
