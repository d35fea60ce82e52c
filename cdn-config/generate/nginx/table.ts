/** Generates the constants of nginx's script from the table of routes (`generated/table.js`). */
import {
  COMMON_HEADERS,
  CONTENT_TYPE,
  FALLBACK_REASON_HEADER,
  NO_SNIFF,
  PREFLIGHT_HEADERS,
  SOURCE_HEADER,
} from "../../../src/http/common-headers.ts";
import { METHOD_NOT_ALLOWED, unavailable } from "../../../src/http/errors.ts";
import { PUBLISHED_HEADER, TRUSTED_HEADER, VALID_UNTIL_HEADER } from "../../../src/http/front-headers.ts";
import { PUBLISHED_ERROR_EDGE_SECONDS } from "../../../src/http/route.ts";
import { tableFile } from "../bundle.ts";
import { COMPRESSED_FROM } from "../options.ts";
import { alwaysOf, COMPRESSED_CONTENT_TYPES, OWN_HEADERS, ROWS } from "../plan.ts";

/** Response headers besides the common ones. */
const HEADERS = ["etag", "cache-control", "retry-after", SOURCE_HEADER, FALLBACK_REASON_HEADER];

/** Headers that the shim sets. The script drops any others. */
const PASSED = [
  ...Object.keys({ ...PREFLIGHT_HEADERS, ...METHOD_NOT_ALLOWED.headers }),
  ...HEADERS,
  "content-encoding",
  "content-length",
  "content-type",
  "vary",
];

export function nginxTable(): string {
  const routes = ROWS.map((row) => {
    const { name, edgeSeconds, staleIfErrorSeconds, conditional, notModifiedTag } = row;
    const contentType = row.kind === "file" ? row.contentType : CONTENT_TYPE;
    const cors = alwaysOf(row) === COMMON_HEADERS;
    return [name, { edgeSeconds, staleIfErrorSeconds, conditional, notModifiedTag, contentType, cors }];
  });
  return tableFile({
    ROUTES: Object.fromEntries(routes),
    HEADERS,
    PASSED,
    CONTENT_TYPE,
    COMMON_HEADERS,
    NO_SNIFF,
    OWN_HEADERS,
    COMPRESSED_FROM,
    COMPRESSED_CONTENT_TYPES,
    TRUSTED: TRUSTED_HEADER,
    PUBLISHED: PUBLISHED_HEADER,
    VALID_UNTIL: VALID_UNTIL_HEADER,
    PUBLISHED_ERROR_SECONDS: PUBLISHED_ERROR_EDGE_SECONDS,
    UNAVAILABLE: { ...unavailable("store_unavailable"), seconds: 0 },
  });
}
