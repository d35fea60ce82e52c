/** Varnish's changes to a request: the plain form of its URL, which is the cache's key. */
import { HOST } from "../hosts.ts";
import { BARE, COMPOSED_URLS, OBJECT_URLS, STALE, urlOf } from "./routes.ts";

/** Bounded: PCRE gives up on a thousand tags, and Varnish then responds with 503. The shim reads longer lists. */
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
  # A stale response only after the origin failed, see vcl_synth.
  if (!req.http.noonmark-stale) { set req.grace = 0s; } else { set req.grace = ${STALE}s; }
  # The usual URL costs no pattern.
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
  # A field other than a list of at most fifty tags goes to the shim.
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
