/** What Varnish asks of bucket and shim, what it keeps of their answers, and for how long. */

import { FALLBACK_REASON_HEADER, SOURCE_HEADER } from "../../../src/http/common-headers.ts";
import { PUBLISHED_ERROR_EDGE_SECONDS } from "../../../src/http/edge.ts";
import { FRONT_HEADER, FRONT_SECRET_HEADER, HEARD_HEADER } from "../../../src/http/front-headers.ts";
import { ROUTES } from "../../../src/resources/table.ts";
import { type CdnOptions, hostOf } from "../options.ts";
import { STORAGE_HEADERS } from "../storage-headers.ts";
import { oneOf, STALE } from "./routes.ts";

/** Metadata of an answer (`stored-answer.ts`); the cache hands none of it on. */
const METADATA = [
  "status",
  "headers",
  "states",
  "valid-until",
  "successors",
  "epoch",
  "writer",
  "asof",
  "noonmark-put",
];
const RESTORED = ["etag", "cache-control", "retry-after", SOURCE_HEADER, FALLBACK_REASON_HEADER];

export function originSubroutines({ bucket, shim, frontSecret }: CdnOptions): string {
  return `sub vcl_backend_fetch {
  unset bereq.http.Accept-Encoding;
  # The bucket is never asked conditionally.
  unset bereq.http.If-None-Match;
  unset bereq.http.If-Modified-Since;
  if (bereq.uncacheable && bereq.http.noonmark-none-match) {
    set bereq.http.If-None-Match = bereq.http.noonmark-none-match;
  }
  if (bereq.http.noonmark-key && bereq.retries == 0) {
    set bereq.backend = bucket;
    set bereq.http.Host = "${hostOf(bucket)}";
    set bereq.url = "${bucket.path}" + bereq.http.noonmark-key;
    unset bereq.http.Origin;
  } else {
    set bereq.backend = shim;
    set bereq.http.Host = "${hostOf(shim)}";
    set bereq.url = bereq.http.noonmark-url;
    # Nothing stands there twice: the shim takes 16 kB.
    unset bereq.http.noonmark-url;
    unset bereq.http.noonmark-none-match;
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
    # Absent, forbidden, failing, or no answer of ours: the shim knows.
    if (beresp.status != 200 || !beresp.http.x-amz-meta-headers) { return (retry); }
    if (beresp.http.x-amz-meta-valid-until) { set beresp.http.noonmark-until = beresp.http.x-amz-meta-valid-until; }
  } elsif (!beresp.http.${HEARD_HEADER}) {
    # A shim that does not hear this front has not said how long its answer holds.
    unset beresp.http.noonmark-published;
    set beresp.http.noonmark-past = "1";
  }
  # Past its word an answer's successor holds, which the shim works out.
  if (beresp.http.noonmark-until
      && std.time(regsub(beresp.http.noonmark-until, "(...)$", ".\\1"), now) <= now) {
    if (bereq.backend == bucket) { return (retry); }
    set beresp.http.noonmark-past = "1";
  }
  if (bereq.backend == bucket) {
    set beresp.status = std.integer(beresp.http.x-amz-meta-status, 200);
    unset beresp.http.Cache-Control;
    unset beresp.http.ETag;
${RESTORED.map(restore).join("\n")}
    if (beresp.status == 503) { set beresp.http.noonmark-published = "1"; }
  } elsif (beresp.status >= 500 && !bereq.uncacheable
      && bereq.http.noonmark-route ~ "${oneOf((route) => route.staleIfErrorSeconds > 0)}"
      && (bereq.is_bgfetch || !bereq.http.noonmark-stale)) {
    return (abandon);
  }
  if (beresp.http.noonmark-published) {
    set beresp.ttl = ${PUBLISHED_ERROR_EDGE_SECONDS}s;
  } elsif (beresp.status != 200 || beresp.http.noonmark-past || !bereq.http.noonmark-route) {
    set beresp.ttl = 0s;
    set beresp.uncacheable = true;
  } else {
${edgeSeconds()}
    if (bereq.http.noonmark-route ~ "${oneOf((route) => route.staleIfErrorSeconds > 0)}") { set beresp.grace = ${STALE}s; }
  }
  if (beresp.http.noonmark-until && !beresp.uncacheable) {
    # Fresh for min(edge seconds, valid-until - now), and never hidden behind a failing origin past valid-until.
    if (std.time(regsub(beresp.http.noonmark-until, "(...)$", ".\\1"), now) - now < beresp.ttl) {
      set beresp.ttl = std.time(regsub(beresp.http.noonmark-until, "(...)$", ".\\1"), now) - now;
    }
    if (std.time(regsub(beresp.http.noonmark-until, "(...)$", ".\\1"), now) - now - beresp.ttl < beresp.grace) {
      set beresp.grace = std.time(regsub(beresp.http.noonmark-until, "(...)$", ".\\1"), now) - now - beresp.ttl;
    }
  }
${[
  ...METADATA.map((name) => `x-amz-meta-${name}`),
  ...STORAGE_HEADERS,
  "noonmark-valid-until",
  "noonmark-until",
  "noonmark-past",
  "noonmark-published",
  HEARD_HEADER,
]
  .map((name) => `  unset beresp.http.${name};`)
  .join("\n")}
  return (deliver);
}

sub vcl_backend_error {
  if (bereq.http.noonmark-key && bereq.retries == 0) { return (retry); }
  return (abandon);
}
`;
}

/** A header out of the metadata's JSON, whose values hold no escapes but those of quotes. */
function restore(name: string): string {
  const found = `beresp.http.x-amz-meta-headers ~ {""${name}":""}`;
  const value = `regsub(beresp.http.x-amz-meta-headers, {"^.*"${name}":"((?:[^"\\\\]|\\\\.)*)".*$"}, "\\1")`;
  return `    if (${found}) { set beresp.http.${name} = regsuball(${value}, "\\\\(.)", "\\1"); }`;
}

function edgeSeconds(): string {
  const seconds = [...new Set(ROUTES.map((route) => route.edgeSeconds))];
  return seconds
    .map(
      (value) =>
        `    if (bereq.http.noonmark-route ~ "${oneOf((route) => route.edgeSeconds === value)}") { set beresp.ttl = ${value}s; }`,
    )
    .join("\n");
}
