/** nginx's maps: values looked up for a request before it is passed on, and headers made from the origins' responses. */
import { ALLOWED_METHODS } from "../../../src/http/common-headers.ts";
import { HEARD_HEADER, PUBLISHED_HEADER } from "../../../src/http/front-headers.ts";
import type { CdnOptions } from "../options.ts";
import { CACHED_URLS, type CachedUrl, HOST, OWN_HEADERS } from "../plan.ts";

export const OWN = Object.keys(OWN_HEADERS);

/** One tag or a list in its plain form, which nginx compares as the API does. */
const TAG = '(?:W/)?\\"[^\\", ]*\\"';

export function maps(options: CdnOptions): string {
  const { bucket, shim, socket, cache } = options;
  return `# Caches, upstreams, and values made from requests and from the origins' headers.
proxy_cache_path ${cache} levels=1:2 keys_zone=noonmark:10m max_size=256m inactive=2m use_temp_path=off;
proxy_cache_path ${cache}-answers levels=1:2 keys_zone=noonmark_answers:10m max_size=256m inactive=2m use_temp_path=off;

upstream noonmark_bucket { server ${bucket.host}:${bucket.port}; keepalive 32; }
upstream noonmark_cache { server unix:${socket}; keepalive 64; }
upstream noonmark_shim { server ${shim.host}:${shim.port}; keepalive 32; }

# Public URLs that may be cached: their route, and their object or the URL itself. All others go to the shim.
# nginx ignores the case of entries without a pattern, so capitals are recognised first.
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

# Conditions that nginx evaluates as the API does: none, or plain tags. Beside If-Modified-Since nginx ignores
# If-None-Match and sends 200 (RFC 9110, 13.1.3, says the opposite), so those requests go to the script.
map "$http_if_match$http_if_unmodified_since$http_if_modified_since|$http_if_none_match" $noonmark_way {
  default judged;
  "|" kept;
  "~^\\|${TAG}(?:, *${TAG})*$" kept;
}

# Some 304s have no tag.
map "$status $upstream_http_noonmark_not_modified" $noonmark_etag {
  default $upstream_http_noonmark_etag;
  "304 no-tag" "";
}
${OWN.map((name) => `map $status $noonmark_${variable(name)} {\n  default $upstream_http_noonmark_${variable(name)};\n  304 "";\n}`).join("\n")}

# A cache keeps good responses and published 503s of a shim that trusts this front.
map "$upstream_http_${variable(HEARD_HEADER)} $upstream_status $upstream_http_${variable(PUBLISHED_HEADER)}" $noonmark_unkept {
  default 1;
  "~^1 200 " "";
  "1 503 1" "";
}

# For a request that nginx itself refuses: the request that the shim judges in its place.
map $request $noonmark_method {
  default POST;
  "~^(?<noonmark_allowed>${ALLOWED_METHODS.join("|")}) " $noonmark_allowed;
}
map $request $noonmark_target {
  default "/";
  "~*^[^ ]+ (?:https?://[^/?#]*)?(?<noonmark_written>/[!-~]*) HTTP/" $noonmark_written;
}
# No request line, or an invalid host. If nginx refuses a line, it has read no host, and the line's end only if it is
# short.
map "$http_host $request" $noonmark_malformed {
  default 1;
  "~^(?:${HOST})? [!#$%&'*+.^_\`|~0-9A-Za-z-]+ (?:[!-~]+ HTTP/1\\.[01]|[!-~]{900,})$" "";
}
`;
}

/** The usual URL, which nginx finds without trying one pattern after the other. */
function literals({ route, key, url }: CachedUrl): string[] {
  return key === undefined
    ? []
    : ["GET", "HEAD"].map((method) => `  "${method} ${url}" "${route.name} ${key} ${url}";`);
}

/** Route, object (if any) and the URL to ask the shim for. For a composed response it has no query that is not read. */
function mapping({ route, pattern, key, url }: CachedUrl): string {
  const bare = "(?:\\?.*)?$";
  if (key !== undefined) return `  "~^1?(?:GET|HEAD) ${pattern.slice(1)}" "${route.name} ${key} ${url}";`;
  if (route.query !== "ignored") return `  "~^1?(?:GET|HEAD) ${pattern.slice(1)}" "${route.name} $request_uri";`;
  return `  "~^1?(?:GET|HEAD) (?<noonmark_path>${pattern.slice(1, -bare.length)})${bare}" "${route.name} $noonmark_path";`;
}

/** A header in the form of nginx's variables. */
export function variable(header: string): string {
  return header.replaceAll("-", "_");
}

/** The values of browsers, found without a pattern. */
const WRITTEN = ["", "gzip", "gzip, deflate", "gzip, deflate, br", "gzip, deflate, br, zstd"];

/** The first of these codings that a client accepts. */
function encodings(codings: readonly string[]): string {
  const written = WRITTEN.map((accepted) => {
    const coding = codings.find((one) => accepted.split(", ").includes(one));
    return `  "${accepted}" ${coding ?? '""'};`;
  });
  const patterns = codings.map(
    (coding) =>
      `  "~*(?:^|,)[ \\t]*${coding}[ \\t]*(?:;[ \\t]*q=(?:1(?:\\.0*)?|0\\.0*[1-9][0-9]*)[ \\t]*)?(?:,|$)" ${coding};`,
  );
  return `# The coding for the client; one that accepts none gets the plain form.
map $http_accept_encoding $noonmark_encoding {
  default "";
${[...written, ...patterns].join("\n")}
}`;
}
