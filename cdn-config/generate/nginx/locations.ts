/** The locations of nginx's internal server, which caches the origins' responses for the script. */
import { FRONT_HEADER, FRONT_SECRET_HEADER } from "../../../src/http/front-headers.ts";
import { PUBLISHED_ERROR_EDGE_SECONDS } from "../../../src/http/route.ts";
import { type CdnOptions, COMPRESSED_FROM, hostOf, type Origin } from "../options.ts";
import { COMPRESSED_CONTENT_TYPES, ROWS } from "../plan.ts";

/** Returns the origins' locations for one cache duration. `stale`: expired entries may be served after errors. */
function originLocations(seconds: number, stale: boolean, { bucket, shim, frontSecret: secret }: CdnOptions): string {
  const name = `${seconds}${stale ? "-stale" : ""}`;
  const states = stale ? "updating error timeout http_403 http_404 http_500 http_502 http_503 http_504" : "updating";
  return `${bucketLocation({ name, seconds, states, entry: "bucket" }, bucket)}
  location /shim/${name}/ {
    proxy_cache noonmark;
    add_header noonmark-kept $upstream_cache_status always;
    proxy_cache_valid 200 ${seconds}s;
    proxy_cache_valid 503 ${PUBLISHED_ERROR_EDGE_SECONDS}s;
    proxy_no_cache $noonmark_unkept;
    proxy_cache_use_stale ${states};
    proxy_cache_key "shim $http_noonmark_object";
${shimLines(shim, secret)}
    proxy_pass ${shim.protocol}://noonmark_shim/;
  }
`;
}

/** Published errors have separate cache entries, because they expire earlier than their route's responses. */
function publishedErrorLocation(bucket: CdnOptions["bucket"]): string {
  return bucketLocation(
    { name: "error", seconds: PUBLISHED_ERROR_EDGE_SECONDS, states: "updating", entry: "error" },
    bucket,
  );
}

interface BucketLocation {
  readonly name: string;
  readonly seconds: number;
  /** The conditions in which nginx may serve an expired entry (`proxy_cache_use_stale`). */
  readonly states: string;
  /** Prefix of the cache key. */
  readonly entry: string;
}

function bucketLocation({ name, seconds, states, entry }: BucketLocation, bucket: CdnOptions["bucket"]): string {
  return `  location /bucket/${name}/ {
    proxy_cache noonmark;
    add_header noonmark-kept $upstream_cache_status always;
    proxy_cache_valid 200 ${seconds}s;
    proxy_cache_use_stale ${states};
    proxy_cache_key "${entry} $http_noonmark_object";
${originLines(bucket)}
    proxy_pass ${bucket.protocol}://noonmark_bucket${bucket.path};
  }
`;
}

/**
 * With `proxy_pass_request_body off`, the headers must not announce a body either. Otherwise the origin waits for a
 * body and reads the next request as that body.
 */
export const BODILESS = ["Connection", "Content-Length", "Transfer-Encoding"]
  .map((name) => `    proxy_set_header ${name} "";`)
  .join("\n");

/** Sets the headers that identify this front to the shim, with its secret. */
export function shimLines(shim: Origin, secret: string | undefined): string {
  return `${originLines(shim)}
    proxy_set_header ${FRONT_HEADER} 1;
    proxy_set_header ${FRONT_SECRET_HEADER} "${secret ?? ""}";`;
}

function originLines(origin: Origin): string {
  const lines = [`    proxy_set_header Host ${hostOf(origin)};`, BODILESS];
  if (origin.protocol === "https") lines.push(`    proxy_ssl_name ${origin.host};`);
  return lines.join("\n");
}

/** Returns the TLS settings of a server that proxies to these origins; "" if all use http. */
export function tlsLines(trusted: string, origins: readonly Origin[]): string {
  if (origins.every(({ protocol }) => protocol === "http")) return "";
  return `  proxy_ssl_server_name on;
  proxy_ssl_protocols TLSv1.2 TLSv1.3;
  proxy_ssl_verify on;
  proxy_ssl_verify_depth 3;
  proxy_ssl_trusted_certificate ${trusted};
`;
}

/** nginx's default of 1 makes output a seventh larger. A response is compressed once, so speed hardly matters. */
const GZIP_LEVEL = 6;

export function responsesServer(options: CdnOptions): string {
  const { bucket, shim, socket, trusted, frontSecret } = options;
  const edges = [...new Set(ROWS.map((route) => route.edgeSeconds))];
  return `server {
  listen unix:${socket};
  merge_slashes off;
  access_log off;
  server_tokens off;
  subrequest_output_buffer_size 17m;
  proxy_http_version 1.1;
  proxy_connect_timeout 1s;
  proxy_read_timeout 5s;
  proxy_pass_request_body off;
  proxy_pass_request_headers off;
  proxy_pass_header Date;
  # The script needs the whole response, which is held in memory. A bundle of the log has at most 16.8 MB.
  proxy_buffers 540 32k;
${tlsLines(trusted, [bucket, shim])}
  # Each response is built and compressed once, then served from the cache.
  location = /response {
    js_content noonmark.respond;
    # A 304 has no Content-Type.
    default_type "";
    gzip on;
    gzip_comp_level ${GZIP_LEVEL};
    gzip_types ${quoted(COMPRESSED_CONTENT_TYPES.filter((type) => type !== "text/html"))};
    gzip_min_length ${COMPRESSED_FROM};
    gzip_proxied any;
    gzip_vary on;
${brotliLines(options)}  }

  # nginx never collapses subrequests. So the script's requests go through the socket once more,
  # which makes them main requests; those for the same object are collapsed.
  location /ask/ {
    internal;
${BODILESS}
    proxy_set_header noonmark-object $http_noonmark_object;
    proxy_pass http://noonmark_cache/;
  }

  proxy_cache_lock on;
  proxy_cache_lock_timeout 5s;
  proxy_ignore_headers Cache-Control Expires Set-Cookie Vary X-Accel-Expires;
${edges.flatMap((seconds) => [false, true].map((stale) => originLocations(seconds, stale, options))).join("\n")}
${publishedErrorLocation(bucket)}
  location /shim/fresh/ {
${shimLines(shim, frontSecret)}
    proxy_pass ${shim.protocol}://noonmark_shim/;
  }
}
`;
}

/** Callers leave out text/html: nginx adds it, and rejects duplicate types. */
function quoted(types: readonly string[]): string {
  return types.map((type) => `"${type}"`).join(" ");
}

/** Brotli's filter runs before gzip's and handles each response whose client accepts br. */
function brotliLines({ brotli = false }: CdnOptions): string {
  if (!brotli) return "";
  return `    brotli on;
    brotli_comp_level 5;
    brotli_types ${quoted(COMPRESSED_CONTENT_TYPES.filter((type) => type !== "text/html"))};
    brotli_min_length ${COMPRESSED_FROM};
`;
}
