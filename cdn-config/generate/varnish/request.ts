/** What Varnish makes of a request: which route, under which key. */
import { CACHED_URLS } from "../plan.ts";
import { oneOf, STALE } from "./routes.ts";

/** Bounded: PCRE gives up on a thousand tags, and Varnish answers 503 then. A longer list is the shim's to read. */
const LIST_OF_TAGS = '^[ \\t]*(?:\\*|(?:W/)?"[^"]*"(?:[ \\t]*,[ \\t]*(?:W/)?"[^"]*"){0,49})[ \\t]*$';

export function requestSubroutines(): string {
  return `sub vcl_recv {
  if (req.restarts == 0) {
    unset req.http.noonmark-route;
    unset req.http.noonmark-key;
    unset req.http.noonmark-stale;
    unset req.http.noonmark-none-match;
    std.collect(req.http.If-None-Match);
    if (req.http.If-None-Match) { set req.http.noonmark-none-match = req.http.If-None-Match; }
  }
  # What a cache is asked for by tag is judged in vcl_deliver; ranges and dates are not part of the API.
  unset req.http.If-None-Match;
  unset req.http.If-Modified-Since;
  unset req.http.If-Match;
  unset req.http.If-Unmodified-Since;
  unset req.http.If-Range;
  unset req.http.Range;
  unset req.http.Accept-Encoding;
  unset req.http.Cookie;
  unset req.http.Authorization;
  set req.http.noonmark-url = req.url;
  if (req.method == "OPTIONS") { return (synth(204)); }
  if (req.method != "GET" && req.method != "HEAD") { return (synth(405)); }
  # A stale answer only after the origin failed, see vcl_synth.
  if (!req.http.noonmark-stale) { set req.grace = 0s; } else { set req.grace = ${STALE}s; }
${CACHED_URLS.map(recognise).join(" else ")} else {
    return (pass);
  }
  # A field that is no list of at most fifty tags is the shim's to read.
  if (req.http.noonmark-none-match
      && req.http.noonmark-route ~ "${oneOf((route) => route.conditional)}"
      && req.http.noonmark-none-match !~ {"${LIST_OF_TAGS}"}) {
    unset req.http.noonmark-route;
    unset req.http.noonmark-key;
    return (pass);
  }
  return (hash);
}

sub vcl_hash {
  if (req.http.noonmark-key) {
    hash_data(req.http.noonmark-key);
  } else {
    hash_data(req.http.noonmark-url);
  }
  return (lookup);
}
`;
}

function recognise({ route, pattern, key, url }: (typeof CACHED_URLS)[number], index: number): string {
  const isBare = key === undefined && route.query === "ignored";
  const lines = [
    `${index === 0 ? "  " : ""}if (req.url ~ "${pattern}") {`,
    `    set req.http.noonmark-route = "${route.name}";`,
    ...(key === undefined ? [] : [`    set req.http.noonmark-key = "${key}";`]),
    ...(url === undefined ? [] : [`    set req.http.noonmark-url = "${url}";`]),
    ...(isBare ? ['    set req.http.noonmark-url = regsub(req.url, "\\?.*$", "");'] : []),
    "  }",
  ];
  return lines.join("\n");
}
