/** Varnish's origin side: requests to bucket and shim, and which responses it caches for how long. */

import { COMMON_HEADERS, FALLBACK_REASON_HEADER, SOURCE_HEADER } from "../../../src/http/common-headers.ts";
import { FRONT_HEADER, FRONT_SECRET_HEADER, TRUSTED_HEADER } from "../../../src/http/front-headers.ts";
import { PUBLISHED_ERROR_EDGE_SECONDS } from "../../../src/http/route.ts";
import { type CdnOptions, COMPRESSED_FROM, hostOf } from "../options.ts";
import { alwaysOf, COMPRESSED_TYPES, OWN_HEADERS, ROWS } from "../plan.ts";
import { STORAGE_HEADERS } from "../storage-headers.ts";
import { COMPOSED_URLS, OBJECT_URLS, plainUrl, STALE, urlOf } from "./client.ts";

/** Metadata of a stored response (`stored-response.ts`); Varnish removes it from responses. */
const METADATA = [
  "status",
  "headers",
  "states",
  "valid-until",
  "successors",
  "epoch",
  "writer",
  "source-version",
  "noonmark-put",
  "sha256",
];
const RESTORED = [
  "etag",
  "cache-control",
  "retry-after",
  SOURCE_HEADER,
  FALLBACK_REASON_HEADER,
  ...Object.keys(OWN_HEADERS),
];

/** Headers of the client's request that are removed before it reaches an origin. */
const REMOVED_HEADERS = [
  "Accept-Encoding",
  "Authorization",
  "Cookie",
  "If-None-Match",
  "If-Modified-Since",
  "If-Match",
  "If-Unmodified-Since",
  "If-Range",
  "Range",
  "noonmark-pass",
];

export function originSubroutines({ bucket, shim, frontSecret }: CdnOptions): string {
  return `# Looks up the URL's object, and if the URL is cacheable.
sub noonmark_object {
  unset bereq.http.noonmark-known;
  unset bereq.http.noonmark-key;
  unset bereq.http.noonmark-asked;
  if (bereq.uncacheable) { return; }
  set bereq.http.noonmark-known = "1";
${OBJECT_URLS.map(({ url, key }, index) => `  ${index === 0 ? "" : "} els"}if (bereq.url == "${url}") {\n    set bereq.http.noonmark-key = "${key}";`).join("\n")}
  } elsif (!(${COMPOSED_URLS.map((cached) => `bereq.url ~ "${patternOf(plainUrl(cached))}"`).join(" || ")})) {
    unset bereq.http.noonmark-known;
    return;
  }
  set bereq.http.noonmark-asked = bereq.url;
}

sub vcl_backend_fetch {
  if (bereq.retries == 0) {
    call noonmark_object;
    set bereq.http.noonmark-url = bereq.url;
  }
${REMOVED_HEADERS.map((name) => `  unset bereq.http.${name};`).join("\n")}
  # Requests to the bucket have no conditions.
  if (bereq.uncacheable && bereq.http.noonmark-none-match) {
    set bereq.http.If-None-Match = bereq.http.noonmark-none-match;
  }
  # Keeps the request below the shim's limit of 16 kB.
  unset bereq.http.noonmark-none-match;
  if (bereq.http.noonmark-key && bereq.retries == 0) {
    set bereq.backend = bucket;
    set bereq.http.Host = "${hostOf(bucket)}";
    set bereq.url = "${bucket.path}" + bereq.http.noonmark-key;
    unset bereq.http.Origin;
  } else {
    set bereq.backend = shim;
    set bereq.http.Host = "${hostOf(shim)}";
    set bereq.url = bereq.http.noonmark-url;
    unset bereq.http.noonmark-url;
    set bereq.http.${FRONT_HEADER} = "1";
${frontSecret === undefined ? `    unset bereq.http.${FRONT_SECRET_HEADER};` : `    set bereq.http.${FRONT_SECRET_HEADER} = "${frontSecret}";`}
  }
}

sub vcl_backend_response {
  set beresp.do_gzip = false;
  set beresp.keep = 0s;
  set beresp.grace = 0s;
  if (beresp.http.noonmark-valid-until) { set beresp.http.noonmark-until = beresp.http.noonmark-valid-until; }
  if (bereq.backend == bucket) {
    # The object is absent, forbidden, failing, or not Noonmark's: ask the shim.
    if (beresp.status != 200 || !beresp.http.x-amz-meta-headers) { return (retry); }
    if (beresp.http.x-amz-meta-valid-until) { set beresp.http.noonmark-until = beresp.http.x-amz-meta-valid-until; }
  } elsif (!beresp.http.${TRUSTED_HEADER}) {
    # A shim that does not trust this front does not say when its response expires.
    unset beresp.http.noonmark-published;
    set beresp.http.noonmark-past = "1";
  }
  # After valid-until, the shim serves the successor.
  if (beresp.http.noonmark-until
      && std.time(regsub(beresp.http.noonmark-until, "(...)$", ".\\1"), now) <= now) {
    if (bereq.backend == bucket) { return (retry); }
    set beresp.http.noonmark-past = "1";
  }
  if (bereq.backend == bucket) {
    set beresp.status = std.integer(beresp.http.x-amz-meta-status, 200);
    unset beresp.http.Cache-Control;
    unset beresp.http.ETag;
${Object.keys(OWN_HEADERS)
  .map((name) => `    unset beresp.http.${name};`)
  .join("\n")}
${RESTORED.map(restore).join("\n")}
    if (beresp.status == 503) { set beresp.http.noonmark-published = "1"; }
  } elsif (beresp.status >= 500 && !bereq.uncacheable
      && ${originalUrl((row) => row.staleIfErrorSeconds > 0)}
      && (bereq.is_bgfetch || !bereq.http.noonmark-stale)) {
    return (abandon);
  }
  if (beresp.http.noonmark-published) {
    set beresp.ttl = ${PUBLISHED_ERROR_EDGE_SECONDS}s;
  } elsif (beresp.status != 200 || beresp.http.noonmark-past || !bereq.http.noonmark-known) {
    set beresp.ttl = 0s;
    set beresp.uncacheable = true;
  } else {
${edgeSeconds()}
    if (${originalUrl((row) => row.staleIfErrorSeconds > 0)}) { set beresp.grace = ${STALE}s; }
  }
  if (beresp.http.noonmark-until && !beresp.uncacheable) {
    # Fresh for min(edge seconds, valid-until - now). Never served past valid-until, even if the origin fails.
    if (std.time(regsub(beresp.http.noonmark-until, "(...)$", ".\\1"), now) - now < beresp.ttl) {
      set beresp.ttl = std.time(regsub(beresp.http.noonmark-until, "(...)$", ".\\1"), now) - now;
    }
    if (std.time(regsub(beresp.http.noonmark-until, "(...)$", ".\\1"), now) - now - beresp.ttl < beresp.grace) {
      set beresp.grace = std.time(regsub(beresp.http.noonmark-until, "(...)$", ".\\1"), now) - now - beresp.ttl;
    }
  }
  # The headers of every response of its kind; the API's other headers, by their values.
  if (bereq.backend == bucket) {
    if (beresp.status != 200 || !(${originalUrl((row) => alwaysOf(row) !== COMMON_HEADERS)})) {
${Object.entries(COMMON_HEADERS)
  .map(([name, value]) => `      set beresp.http.${name} = "${value}";`)
  .join("\n")}
    } else {
      unset beresp.http.access-control-allow-origin;
      unset beresp.http.access-control-expose-headers;
      set beresp.http.x-content-type-options = "nosniff";
    }
  } else {
${Object.entries(OWN_HEADERS)
  .map(([name, value]) => `    if (beresp.http.${name} != "${value}") { unset beresp.http.${name}; }`)
  .join("\n")}
  }
${[
  ...METADATA.map((name) => `x-amz-meta-${name}`),
  ...STORAGE_HEADERS.filter((name) => !(name in OWN_HEADERS)),
  "noonmark-valid-until",
  "noonmark-until",
  "noonmark-past",
  "noonmark-published",
  TRUSTED_HEADER,
]
  .map((name) => `  unset beresp.http.${name};`)
  .join("\n")}
  # Cached compressed; vcl_deliver sets the tag of an uncompressed response.
  if (beresp.status == 200 && !bereq.uncacheable && std.integer(beresp.http.Content-Length, 0) >= ${COMPRESSED_FROM}
      && beresp.http.Content-Type ~ "^(?:${COMPRESSED_TYPES.map((type) => type.replaceAll(/[.+]/g, "\\$&")).join("|")})(?:;|$)") {
    set beresp.do_gzip = true;
    # Fetched completely before delivery, so that its length is known.
    set beresp.do_stream = false;
    if (beresp.http.ETag) {
      set beresp.http.noonmark-etag = beresp.http.ETag;
      unset beresp.http.ETag;
    }
  }
  return (deliver);
}

sub vcl_backend_error {
  if (bereq.http.noonmark-key && bereq.retries == 0) { return (retry); }
  return (abandon);
}
`;
}

/** Restores a header from the metadata's JSON. Its values contain no escapes except `\"` and `\\`. */
function restore(name: string): string {
  const found = `beresp.http.x-amz-meta-headers ~ {""${name}":""}`;
  const value = `regsub(beresp.http.x-amz-meta-headers, {"^.*"${name}":"((?:[^"\\\\]|\\\\.)*)".*$"}, "\\1")`;
  return `    if (${found}) { set beresp.http.${name} = regsuball(${value}, "\\\\(.)", "\\1"); }`;
}

function edgeSeconds(): string {
  const seconds = [...new Set(ROWS.map((row) => row.edgeSeconds))];
  return seconds
    .map((value) => `    if (${originalUrl((row) => row.edgeSeconds === value)}) { set beresp.ttl = ${value}s; }`)
    .join("\n");
}

function patternOf(plain: ReturnType<typeof plainUrl>): string {
  return "pattern" in plain ? plain.pattern : plain.url;
}

/** A condition on the client's URL, which Varnish has since rewritten for an origin. */
function originalUrl(holds: Parameters<typeof urlOf>[1]): string {
  return urlOf("bereq", holds).replace("bereq.url", "bereq.http.noonmark-asked");
}
