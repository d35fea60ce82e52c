/** Generates the constants of CloudFront's two functions from the table of routes. */
import { COMMON_HEADERS, CONTENT_TYPE, PREFLIGHT_HEADERS } from "../../../src/http/common-headers.ts";
import { METHOD_NOT_ALLOWED, unavailable } from "../../../src/http/errors.ts";
import { EDGE_HEADERS, FRONT, FRONT_HEADER, TRUSTED_HEADER } from "../../../src/http/front-headers.ts";
import type { Representation } from "../../../src/http/representation.ts";
import type { QueryRule } from "../../../src/http/route.ts";
import { Source, tableFile } from "../bundle.ts";
import { CACHED_URLS, type CachedUrl, OWN_HEADERS } from "../plan.ts";

/** Carries the client's If-None-Match to viewer-response, because CloudFront would evaluate the header itself. */
const NONE_MATCH = "noonmark-none-match";

/** Request headers to remove. With them CloudFront would send its own 206 or 304 from its cache. */
const DROPPED = ["if-none-match", "if-modified-since", "if-match", "if-unmodified-since", "if-range", "range"];

export function cloudfrontTables(): Record<"viewer-request-table.js" | "viewer-response-table.js", string> {
  return {
    "viewer-request-table.js": tableFile({
      // Cacheable public URLs and the query of their cache key; null keeps the query as requested.
      URLS: new Source(`[\n${CACHED_URLS.map(urlRow).join(",\n")},\n]`),
      PREFLIGHT: { statusCode: 204, headers: values(PREFLIGHT_HEADERS) },
      WRONG_METHOD: eventResponse(METHOD_NOT_ALLOWED),
      DROPPED,
      NONE_MATCH,
      FRONT: FRONT_HEADER,
      EDGE: FRONT.edge,
      PASS: FRONT.pass,
    }),
    "viewer-response-table.js": tableFile({
      UNAVAILABLE: eventResponse(unavailable("store_unavailable")),
      CACHE_CONTROL: EDGE_HEADERS.cacheControl,
      STATUS: EDGE_HEADERS.status,
      KEPT_UNTIL: EDGE_HEADERS.keptUntil,
      NOT_MODIFIED: EDGE_HEADERS.notModified,
      TRUSTED: TRUSTED_HEADER,
      NOT_ON_304: ["content-type", "content-length", "content-encoding", ...Object.keys(OWN_HEADERS)],
      NONE_MATCH,
    }),
  };
}

function urlRow({ pattern, route, key }: CachedUrl): string {
  const query = route.objects.find((object) => object.key === key)?.query;
  return `  [${new RegExp(pattern)}, ${JSON.stringify(keyQuery(route.query, query))}]`;
}

/** Returns the query of the cache key in CloudFront's event format; null keeps the query as requested. */
function keyQuery(rule: QueryRule, query: string | undefined): Record<string, { value: string }> | null {
  if (rule === "ignored") return {};
  if (query === undefined) return null;
  return values(Object.fromEntries(new URLSearchParams(query)));
}

/** Returns a response in CloudFront's event format. CloudFront writes its Content-Length. */
function eventResponse({ status, headers, body }: Representation): object {
  return {
    statusCode: status,
    headers: values({ ...COMMON_HEADERS, ...headers, "content-type": CONTENT_TYPE }),
    body,
  };
}

function values(headers: Readonly<Record<string, string>>): Record<string, { value: string }> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, { value }]));
}
