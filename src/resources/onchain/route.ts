/** docs/spec/api.md#onchain */
import { NO_STORE } from "../../http/common-headers.ts";
import { FOLLOWS_BLOCKS } from "../../http/edge.ts";
import { constantKey, pathKey } from "../../http/keys.ts";
import type { Route } from "../../http/route.ts";

const PATH = "/v4/public/onchain";
export const ONCHAIN_KEY = pathKey(PATH);

export const onchainRoute = {
  kind: "route",
  name: "onchain",
  resource: "onchain",
  anchor: "onchain",
  path: PATH,
  handler: "stored",
  query: "exact",
  objects: [{ query: "", key: ONCHAIN_KEY }],
  parts: [constantKey(ONCHAIN_KEY)],
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
