/** nginx's caches, upstreams and maps: values computed from requests and from the origins' responses. */
import { ALLOWED_METHODS } from "../../../src/http/common-headers.ts";
import { PUBLISHED_HEADER, TRUSTED_HEADER } from "../../../src/http/front-headers.ts";
import type { CdnOptions } from "../options.ts";
import { CACHED_URLS, type CachedUrl, HOST, OWN_HEADERS } from "../plan.ts";

export const OWN = Object.keys(OWN_HEADERS);

/** One tag or a plain list of tags, which nginx compares in the same way as the API. */
const TAG = '(?:W/)?\\"[^\\", ]*\\"';

export function maps(options: CdnOptions): string {
  const { bucket, shim, socket, cache } = options;
  return `# Caches, upstreams, and values computed from requests and from the origins' headers.
proxy_cache_path ${cache} levels=1:2 keys_zone=noonmark:10m max_size=256m inactive=2m use_temp_path=off;
proxy_cache_path ${cache}-responses levels=1:2 keys_zone=noonmark_responses:10m max_size=256m inactive=2m use_temp_path=off;

upstream noonmark_bucket { server ${bucket.host}:${bucket.port}; keepalive 32; }
upstream noonmark_cache { server unix:${socket}; keepalive 64; }
upstream noonmark_shim { server ${shim.host}:${shim.port}; keepalive 32; }

# Cacheable public URLs: route, then object (if any) and URL. All other URLs go to the shim.
# nginx compares exact entries without regard to case, so URLs with capitals are marked first.
map $request_uri $noonmark_capital {
  default "";
  "~[A-Z]" 1;
}
map "$noonmark_capital$request_method $request_uri" $noonmark_object {
  default "";
${CACHED_URLS.flatMap(literals).join("\n")}
${CACHED_URLS.map(mapping).join("\n")}
}

${encodings(options.brotli === true ? ["br", "gzip"] : ["gzip"])}

# Conditions that nginx evaluates in the same way as the API: none, or plain tags. With If-Modified-Since, nginx ignores
# If-None-Match and sends 200, against RFC 9110, 13.1.3. So those requests go to the script.
map "$http_if_match$http_if_unmodified_since$http_if_modified_since|$http_if_none_match" $noonmark_way {
  default judged;
  "|" kept;
  "~^\\|${TAG}(?:, *${TAG})*$" kept;
}

# The 304s of some routes have no ETag.
map "$status $upstream_http_noonmark_not_modified" $noonmark_etag {
  default $upstream_http_noonmark_etag;
  "304 no-tag" "";
}
${OWN.map((name) => `map $status $noonmark_${variable(name)} {\n  default $upstream_http_noonmark_${variable(name)};\n  304 "";\n}`).join("\n")}

# nginx caches a shim's response only if the shim trusts this front, and it is a 200 or a published 503.
map "$upstream_http_${variable(TRUSTED_HEADER)} $upstream_status $upstream_http_${variable(PUBLISHED_HEADER)}" $noonmark_unkept {
  default 1;
  "~^1 200 " "";
  "1 503 1" "";
}

# For a request that nginx rejects: the request to send to the shim, which chooses the error.
map $request $noonmark_method {
  default POST;
  "~^(?<noonmark_allowed>${ALLOWED_METHODS.join("|")}) " $noonmark_allowed;
}
map $request $noonmark_target {
  default "/";
  "~*^[^ ]+ (?:https?://[^/?#]*)?(?<noonmark_written>/[!-~]*) HTTP/" $noonmark_written;
}
# No request line, or an invalid host. If nginx rejects a request line, it has not read the host. It has read the
# end of the line only if the line is short.
map "$http_host $request" $noonmark_malformed {
  default 1;
  "~^(?:${HOST})? [!#$%&'*+.^_\`|~0-9A-Za-z-]+ (?:[!-~]+ HTTP/1\\.[01]|[!-~]{900,})$" "";
}
`;
}

/** Exact entries for the canonical URL, which nginx finds without trying patterns. */
function literals({ route, key, url }: CachedUrl): string[] {
  return key === undefined
    ? []
    : ["GET", "HEAD"].map((method) => `  "${method} ${url}" "${route.name} ${key} ${url}";`);
}

/** Maps a request to route, object (if any) and shim URL. A composed response's URL has no ignored query. */
function mapping({ route, pattern, key, url }: CachedUrl): string {
  const bare = "(?:\\?.*)?$";
  if (key !== undefined) return `  "~^1?(?:GET|HEAD) ${pattern.slice(1)}" "${route.name} ${key} ${url}";`;
  if (route.query !== "ignored") return `  "~^1?(?:GET|HEAD) ${pattern.slice(1)}" "${route.name} $request_uri";`;
  return `  "~^1?(?:GET|HEAD) (?<noonmark_path>${pattern.slice(1, -bare.length)})${bare}" "${route.name} $noonmark_path";`;
}

/** Returns a header's name as nginx uses it in variable names. */
export function variable(header: string): string {
  return header.replaceAll("-", "_");
}

/** The Accept-Encoding values of browsers, which nginx finds without trying patterns. */
const BROWSER_ENCODINGS = ["", "gzip", "gzip, deflate", "gzip, deflate, br", "gzip, deflate, br, zstd"];

/** Maps Accept-Encoding to the first of these codings that the client accepts. */
function encodings(codings: readonly string[]): string {
  const written = BROWSER_ENCODINGS.map((accepted) => {
    const coding = codings.find((one) => accepted.split(", ").includes(one));
    return `  "${accepted}" ${coding ?? '""'};`;
  });
  const patterns = codings.map(
    (coding) =>
      `  "~*(?:^|,)[ \\t]*${coding}[ \\t]*(?:;[ \\t]*q=(?:1(?:\\.0*)?|0\\.0*[1-9][0-9]*)[ \\t]*)?(?:,|$)" ${coding};`,
  );
  return `# The content coding for the client; empty if it accepts none of them.
map $http_accept_encoding $noonmark_encoding {
  default "";
${[...written, ...patterns].join("\n")}
}`;
}
