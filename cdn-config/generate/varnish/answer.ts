/** What a client gets from Varnish: constant answers, and If-None-Match judged after the answer has been chosen. */
import { COMMON_HEADERS, CONTENT_TYPE, PREFLIGHT_HEADERS } from "../../../src/http/common-headers.ts";
import { METHOD_NOT_ALLOWED, unavailable } from "../../../src/http/errors.ts";
import type { Representation } from "../../../src/http/representation.ts";
import { oneOf } from "./routes.ts";

export function answerSubroutines(): string {
  return `sub vcl_synth {
  if (resp.status == 503 && !req.http.noonmark-stale
      && req.http.noonmark-route ~ "${oneOf((route) => route.staleIfErrorSeconds > 0)}") {
    set req.http.noonmark-stale = "1";
    return (restart);
  }
  unset resp.http.Content-Type;
  unset resp.http.Retry-After;
  if (resp.status == 204) {
${setAll(PREFLIGHT_HEADERS)}
    set resp.body = "";
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
  unset resp.http.Age;
  unset resp.http.Accept-Ranges;
  unset resp.http.Server;
${setAll(COMMON_HEADERS, "  ")}
  # If-None-Match after the answer has been chosen: a list, weak tags, or any.
  if (req.http.noonmark-none-match && resp.status == 200 && resp.http.ETag
      && req.http.noonmark-route ~ "${oneOf((route) => route.conditional)}"
      && (req.http.noonmark-none-match ~ "^[ \\t]*\\*[ \\t]*$"
        || std.strstr(req.http.noonmark-none-match, regsub(resp.http.ETag, "^W/", "")))) {
    set resp.status = 304;
    unset resp.http.Content-Type;
    unset resp.http.Content-Length;
    if (req.http.noonmark-route ~ "${oneOf((route) => route.conditional && !route.notModifiedTag)}") { unset resp.http.ETag; }
  }
  return (deliver);
}
`;
}

function setAll(headers: Readonly<Record<string, string>>, indent = "    "): string {
  return Object.entries(headers)
    .map(([name, value]) => `${indent}set resp.http.${name} = "${value}";`)
    .join("\n");
}

function constant({ headers, body }: Representation): string {
  const all = { ...COMMON_HEADERS, ...headers, "content-type": CONTENT_TYPE };
  return `${setAll(all)}\n    set resp.body = """${body}""";`;
}
