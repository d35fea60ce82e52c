/**
 * The client's response from Varnish: constant responses, and If-None-Match, evaluated after the response has been chosen.
 */
import { COMMON_HEADERS, CONTENT_TYPE, PREFLIGHT_HEADERS } from "../../../src/http/common-headers.ts";
import { badRequest, METHOD_NOT_ALLOWED, unavailable } from "../../../src/http/errors.ts";
import type { Representation } from "../../../src/http/representation.ts";
import { OWN_HEADERS } from "../plan.ts";
import { urlOf } from "./routes.ts";

export function answerSubroutines(): string {
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
  # A reader sees a server, not a cache: the Date is that of the response, and there is no Age.
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
  # If-None-Match after the response has been chosen: a list, weak tags, or any.
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
