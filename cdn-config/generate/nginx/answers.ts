/** nginx's second server: it keeps the origins' responses, and the script makes the client's from them. */
import { type CdnOptions, COMPRESSED_FROM } from "../options.ts";
import { COMPRESSED_CONTENT_TYPES, ROWS } from "../plan.ts";
import { BODILESS, originLocations, publishedErrorLocation, shimLines, tlsLines } from "./origins.ts";

/** nginx's default is 1, which leaves a seventh more bytes. A response is compressed once, so the time does not count. */
const GZIP_LEVEL = 6;

export function answersServer(options: CdnOptions): string {
  const { bucket, shim, socket, trusted, frontSecret } = options;
  const edges = [...new Set(ROWS.map((route) => route.edgeSeconds))];
  return `server {
  listen unix:${socket};
  merge_slashes off;
  access_log off;
  server_tokens off;
  subrequest_output_buffer_size 4m;
  proxy_http_version 1.1;
  proxy_connect_timeout 1s;
  proxy_read_timeout 5s;
  proxy_pass_request_body off;
  proxy_pass_request_headers off;
  proxy_pass_header Date;
  # The script gets a whole response, which is in memory at any size and never in a temporary file.
  proxy_buffers 130 32k;
${tlsLines(trusted, [bucket, shim])}
  # A response is made, and compressed, once for as long as it is kept.
  location = /answer {
    js_content noonmark.answer;
    # A 304 has no type.
    default_type "";
    gzip on;
    gzip_comp_level ${GZIP_LEVEL};
    gzip_types ${quoted(COMPRESSED_CONTENT_TYPES.filter((type) => type !== "text/html"))};
    gzip_min_length ${COMPRESSED_FROM};
    gzip_proxied any;
    gzip_vary on;
${brotliLines(options)}  }

  # The script's requests are nginx's background requests, which never wait for one another. So they go through the socket
  # once more, where each is a request of its own and those for one object are collapsed.
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

/** nginx itself knows text/html, and accepts no type twice. */
function quoted(types: readonly string[]): string {
  return types.map((type) => `"${type}"`).join(" ");
}

/** Its filter comes before gzip's, and takes a response if the reader accepts brotli. */
function brotliLines({ brotli = false }: CdnOptions): string {
  if (!brotli) return "";
  return `    brotli on;
    brotli_comp_level 5;
    brotli_types ${quoted(COMPRESSED_CONTENT_TYPES.filter((type) => type !== "text/html"))};
    brotli_min_length ${COMPRESSED_FROM};
`;
}
