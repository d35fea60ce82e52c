/** nginx's ways to the two origins. */

import { FRONT_HEADER, FRONT_SECRET_HEADER } from "../../../src/http/front-headers.ts";
import { PUBLISHED_ERROR_EDGE_SECONDS } from "../../../src/http/route.ts";
import { type CdnOptions, hostOf, type Origin } from "../options.ts";

/** Two ways to one cache entry: while the origin responds, and after it failed. */
export function originLocations(
  seconds: number,
  stale: boolean,
  { bucket, shim, frontSecret: secret }: CdnOptions,
): string {
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

/** A published error is kept for less time than the responses of its route, by entries of its own. */
export function publishedErrorLocation(bucket: CdnOptions["bucket"]): string {
  return bucketLocation(
    { name: "error", seconds: PUBLISHED_ERROR_EDGE_SECONDS, states: "updating", entry: "error" },
    bucket,
  );
}

interface BucketLocation {
  readonly name: string;
  readonly seconds: number;
  /** How long an expired entry may be served. */
  readonly states: string;
  /** The kind of its cache entries. */
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
 * With `proxy_pass_request_body off`: no body, and none announced. Otherwise the body would become the next request on the
 * connection.
 */
export const BODILESS = ["Connection", "Content-Length", "Transfer-Encoding"]
  .map((name) => `    proxy_set_header ${name} "";`)
  .join("\n");

/** The headers for the shim: a front is asking, and its secret. */
export function shimLines(shim: Origin, secret: string | undefined): string {
  return `${originLines(shim)}
    proxy_set_header ${FRONT_HEADER} 1;
    proxy_set_header ${FRONT_SECRET_HEADER} "${secret ?? ""}";`;
}

export function originLines(origin: Origin): string {
  const lines = [`    proxy_set_header Host ${hostOf(origin)};`, BODILESS];
  if (origin.protocol === "https") lines.push(`    proxy_ssl_name ${origin.host};`);
  return lines.join("\n");
}

/** For a server whose locations have these origins. */
export function tlsLines(trusted: string, origins: readonly Origin[]): string {
  if (origins.every(({ protocol }) => protocol === "http")) return "";
  return `  proxy_ssl_server_name on;
  proxy_ssl_protocols TLSv1.2 TLSv1.3;
  proxy_ssl_verify on;
  proxy_ssl_verify_depth 3;
  proxy_ssl_trusted_certificate ${trusted};
`;
}
