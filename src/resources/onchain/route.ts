/** docs/spec/api.md#onchain */
import { NO_STORE } from "../../http/common-headers.ts";
import { constantKey, pathKey } from "../../http/keys.ts";
import { BLOCKS_EDGE_SECONDS, ROUTE_RULES, type Route } from "../../http/route.ts";

const PATH = "/v4/public/onchain";
export const ONCHAIN_KEY = pathKey(PATH);

export const onchainRoute = {
  ...ROUTE_RULES,
  name: "onchain",
  resource: "onchain",
  anchor: "onchain",
  path: PATH,
  objects: [{ query: "", key: ONCHAIN_KEY }],
  parts: [constantKey(ONCHAIN_KEY)],
  cacheControl: NO_STORE,
  edgeSeconds: BLOCKS_EDGE_SECONDS,
} as const satisfies Route;
