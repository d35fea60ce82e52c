/**
 * Varnish's client side: normalises the request's URL to the cache key, and completes the response on delivery.
 * Constant responses and If-None-Match are handled after the cache lookup.
 */

import { COMMON_HEADERS, CONTENT_TYPE, PREFLIGHT_HEADERS } from "../../../src/http/common-headers.ts";
import { badRequest, METHOD_NOT_ALLOWED, unavailable } from "../../../src/http/errors.ts";
import type { Representation } from "../../../src/http/representation.ts";
import { pathPattern } from "../../../src/http/route.ts";
import type { NamedRow } from "../../../src/resources/table.ts";
import { CACHED_URLS, type CachedUrl, HOST, OWN_HEADERS, ROWS } from "../plan.ts";

/** The longest time (s) for which any row may serve a stale response. */
export const STALE = Math.max(...ROWS.map((row) => row.staleIfErrorSeconds));

/** Returns a VCL condition that matches the URLs of the rows selected by `holds`. */
export function urlOf(subject: "req" | "bereq", holds: (row: NamedRow) => boolean): string {
  const paths = ROWS.filter(holds).map(({ path }) => pathPattern(path, "[^/?]+"));
  return `${subject}.url ~ "^(?:${paths.join("|")})(?:\\?|$)"`;
}

/** Returns an object's canonical URL, or a composed response's pattern without any query that the row ignores. */
export function plainUrl({ route, pattern, url }: CachedUrl): { readonly url: string } | { readonly pattern: string } {
  if (url !== undefined) return { url };
  return { pattern: route.query === "ignored" ? `${pattern.slice(0, -BARE.length)}$` : pattern };
}

/** The suffix of a pattern whose query is ignored. */
const BARE = "(?:\\?.*)?$";

export const OBJECT_URLS = CACHED_URLS.filter(({ key }) => key !== undefined);
export const COMPOSED_URLS = CACHED_URLS.filter(({ key }) => key === undefined);

/** At most fifty tags: PCRE fails on a thousand, which makes Varnish send 503. The shim accepts longer lists. */
const LIST_OF_TAGS = '^[ \\t]*(?:\\*|(?:W/)?"[^"]*"(?:[ \\t]*,[ \\t]*(?:W/)?"[^"]*"){0,49})[ \\t]*$';

export function requestSubroutines(): string {
  return `sub vcl_recv {
  if (req.restarts == 0) {
    if (req.http.host) {
      if (req.http.host !~ "^${HOST}$") { return (synth(400)); }
    } elsif (req.proto == "HTTP/1.1") {
      return (synth(400));
    }
    unset req.http.noonmark-stale;
    unset req.http.noonmark-pass;
    unset req.http.noonmark-none-match;
    # vcl_deliver evaluates tags; ranges and dates are not part of the API.
    if (req.http.If-None-Match) {
      std.collect(req.http.If-None-Match);
      set req.http.noonmark-none-match = req.http.If-None-Match;
      unset req.http.If-None-Match;
    }
    unset req.http.If-Modified-Since;
    unset req.http.Range;
  }
  if (req.method != "GET" && req.method != "HEAD") {
    if (req.method == "OPTIONS") { return (synth(204)); }
    return (synth(405));
  }
  # Stale responses are allowed only after the origin failed (see vcl_synth).
  if (!req.http.noonmark-stale) { set req.grace = 0s; } else { set req.grace = ${STALE}s; }
  # The canonical URL matches without a pattern.
  if (${OBJECT_URLS.map(({ url }) => `req.url == "${url}"`).join("\n      || ")}) {
${OBJECT_URLS.map(({ pattern, url }) => `  } elsif (req.url ~ "${pattern}") {\n    set req.url = "${url}";`).join("\n")}
${COMPOSED_URLS.map(({ pattern, route }) =>
  [
    `  } elsif (req.url ~ "${pattern}") {`,
    ...(pattern.endsWith(BARE) && route.query === "ignored"
      ? ['    set req.url = regsub(req.url, "\\?.*$", "");']
      : []),
  ].join("\n"),
).join("\n")}
  } else {
    set req.http.noonmark-pass = "1";
    return (pass);
  }
  # Anything but a list of at most fifty tags goes to the shim.
  if (req.http.noonmark-none-match && req.http.noonmark-none-match !~ {"${LIST_OF_TAGS}"}
      && ${urlOf("req", (row) => row.conditional)}) {
    set req.http.noonmark-pass = "1";
    return (pass);
  }
  return (hash);
}

sub vcl_hash {
  hash_data(req.url);
  return (lookup);
}
`;
}

export function responseSubroutines(): string {
  return `sub vcl_synth {
  if (resp.status == 503 && !req.http.noonmark-stale && !req.http.noonmark-pass
      && ${urlOf("req", (row) => row.staleIfErrorSeconds > 0)}) {
    set req.http.noonmark-stale = "1";
    return (restart);
  }
  unset resp.http.Content-Type;
  unset resp.http.Retry-After;
  if (resp.status == 204) {
${setAll(PREFLIGHT_HEADERS)}
    set resp.body = "";
  } elsif (resp.status == 400) {
${constant(badRequest("bad_request"))}
  } elsif (resp.status == 405) {
${constant(METHOD_NOT_ALLOWED)}
  } else {
    set resp.status = 503;
${constant(unavailable("store_unavailable"))}
  }
  unset resp.http.Server;
  unset resp.http.X-Varnish;
  unset resp.http.Via;
  return (deliver);
}

sub vcl_deliver {
  unset resp.http.X-Varnish;
  unset resp.http.Via;
  # Clients see an origin server, not a cache: Date is the time of this response, and there is no Age.
  set resp.http.Date = now;
  unset resp.http.Age;
  unset resp.http.Accept-Ranges;
  # A compressed response has a weak tag.
  if (resp.http.noonmark-etag) {
    if (req.http.Accept-Encoding) {
      set resp.http.ETag = "W/" + resp.http.noonmark-etag;
    } else {
      set resp.http.ETag = resp.http.noonmark-etag;
    }
    unset resp.http.noonmark-etag;
  }
  # Evaluates If-None-Match after the cache lookup: a list, weak tags, or *.
  if (req.http.noonmark-none-match && !req.http.noonmark-pass && resp.status == 200 && resp.http.ETag
      && ${urlOf("req", (row) => row.conditional)}
      && (req.http.noonmark-none-match ~ "^[ \\t]*\\*[ \\t]*$"
        || std.strstr(req.http.noonmark-none-match, regsub(resp.http.ETag, "^W/", "")))) {
    set resp.status = 304;
${["Content-Type", "Content-Length", "Content-Encoding", ...Object.keys(OWN_HEADERS)].map((name) => `    unset resp.http.${name};`).join("\n")}
    if (${urlOf("req", (row) => row.conditional && !row.notModifiedTag)}) { unset resp.http.ETag; }
  }
  return (deliver);
}
`;
}

function setAll(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `    set resp.http.${name} = "${value}";`)
    .join("\n");
}

function constant({ headers, body }: Representation): string {
  const all = { ...COMMON_HEADERS, ...headers, "content-type": CONTENT_TYPE };
  return `${setAll(all)}\n    set resp.body = """${body}""";`;
}
