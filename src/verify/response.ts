/**
 * The rules of a single response, by its row alone: headers, errors, 304, and the headers of a good response. `verify`,
 * the tests' exchanges and the hostile runs use them. `body.ts` has the rules of bodies.
 */
import {
  ALLOWED_METHODS,
  COMMON_HEADERS,
  CONTENT_TYPE,
  FALLBACK_REASON_HEADER,
  SOURCE_HEADER,
} from "../http/common-headers.ts";
import { COMMON_ERRORS, RETRY_AFTER_SECONDS } from "../http/errors.ts";
import { matchObject } from "../resources/find.ts";
import { type NamedRoute, ROUTES } from "../resources/table.ts";
import { listMembers, withoutBlanks } from "../values/text.ts";
import { fieldsOf } from "../values/unknown.ts";
import {
  errorCode,
  header,
  jsonOf,
  type Place,
  placeOf,
  type Reply,
  requestText,
  type Sent,
  seenReply,
  shown,
  textOf,
  unavailableCodes,
} from "./exchange.ts";
import { type Check, type Finding, Report } from "./report.ts";

/** Codes by status (docs/spec/api.md#errors). */
export const CODES = new Map<number, Set<string>>();
for (const [code, status] of Object.entries(COMMON_ERRORS)) allow(status, code);
for (const route of ROUTES) {
  if (route.queryError !== null) allow(400, route.queryError);
  for (const code of unavailableCodes(route)) allow(503, code);
}

function allow(status: number, code: string): void {
  CODES.set(status, (CODES.get(status) ?? new Set<string>()).add(code));
}

const FOREIGN =
  /^(?:last-modified|expires|pragma|set-cookie|content-disposition|content-location|content-range|content-language|accept-ranges|www-authenticate|x-timestamp|x-trans-id|x-openstack-request-id|x-powered-by|(?:x-amz|x-goog|x-ms|x-rgw|x-object|x-r2|noonmark)-.*)$/;
const MAY_REPEAT =
  /^(?:via|set-cookie|vary|server-timing|cache-control|access-control-expose-headers|link|alt-svc|warning)$/;
const CORS = ["access-control-allow-origin", "access-control-expose-headers"] as const;
/** Tolerance for clock differences and rounding. */
const AGE_SLACK_SECONDS = 2;
/** A published 503 is kept for one second; another second allows for rounding. */
const KEPT_503_SECONDS = 2;
const REASONS = ["indexer_disabled", "not_yet_safe", "indexer_unavailable", "indexer_mismatch"];

interface Exchanged extends Place {
  readonly check: Check;
  readonly sent: Sent;
  readonly reply: Reply;
}

/** Judges one response by itself, except for the fields of a 200's body. */
export function judgeResponse(sent: Sent, reply: Reply): readonly Finding[] {
  const report = new Report();
  const place = placeOf(sent.target);
  const check = report.on(requestText(sent));
  judgeHeaders({ check, sent, reply, ...place });
  const row = place.route ?? place.file;
  const query = sent.target.slice(`${sent.target}?`.indexOf("?") + 1);
  const isGood = row?.query === "handler" || (row !== undefined && matchObject(row, query) !== undefined);
  const isPlain = header(reply, "content-encoding") === undefined;
  if (place.route !== undefined && isGood && isPlain && sent.method === "GET" && reply.status === 200) {
    judgeGoodHeaders(check, place.route, reply);
    check("answer/body", jsonOf(reply) !== undefined, "JSON in UTF-8", startOf(reply));
  }
  return report.findings;
}

/** The rules of every response, including errors, 204 and 304. */
export function judgeHeaders(exchanged: Exchanged): void {
  judgeCors(exchanged);
  judgeContent(exchanged);
  judgeForeign(exchanged);
  judgeAge(exchanged);
  if (exchanged.reply.status >= 400) judgeError(exchanged);
  if (exchanged.reply.status === 304) judgeNotModified(exchanged);
}

function judgeCors({ check, reply, file }: Exchanged): void {
  // Pages have no CORS headers, because scripts of other sites may not read them.
  if (file?.cors === false && reply.status < 400 && reply.status !== 204) return;
  for (const name of CORS) {
    const value = header(reply, name);
    const members = listMembers((value ?? "").toLowerCase());
    const wanted = listMembers(COMMON_HEADERS[name].toLowerCase());
    const holds = name === CORS[0] ? value === "*" : wanted.every((one) => members.includes(one));
    check("headers/cors", holds, `${name}: ${COMMON_HEADERS[name]} on the ${reply.status}`, shown(value));
  }
}

function judgeContent({ check, sent, reply, file }: Exchanged): void {
  const { status, body, wireLength } = reply;
  const on = `on the ${status}`;
  const sniff = header(reply, "x-content-type-options");
  check("headers/content", sniff?.toLowerCase() === "nosniff", `X-Content-Type-Options: nosniff ${on}`, shown(sniff));
  const isBare = status === 204 || status === 304;
  const type = header(reply, "content-type");
  const ofGood = file === undefined ? CONTENT_TYPE : (file.contentType ?? normal(type));
  const wanted = isBare ? undefined : status === 200 ? ofGood : CONTENT_TYPE;
  check("headers/content", normal(type) === wanted, `Content-Type ${wanted ?? "absent"} ${on}`, shown(type));
  const isEmpty = isBare || sent.method === "HEAD";
  check("headers/content", !isEmpty || body.length === 0, `no body in the ${status}`, `${body.length} bytes`);
  const length = header(reply, "content-length");
  const hasLength = length === undefined || sent.method === "HEAD" || status === 304 || length === String(wireLength);
  check("headers/content", hasLength, `Content-Length: ${wireLength} ${on}`, shown(length));
  const encoding = header(reply, "content-encoding");
  const isPlain = sent.headers["accept-encoding"] !== "identity" || encoding === undefined;
  check("headers/content", isPlain, `no Content-Encoding ${on} to Accept-Encoding: identity`, shown(encoding));
}

function judgeForeign({ check, reply }: Exchanged): void {
  const names = [...reply.headers.keys()];
  const foreign = names.filter((name) => FOREIGN.test(name));
  check("headers/foreign", foreign.length === 0, "no header of a storage or a cache", foreign.join(", "));
  const repeated = names.filter((name) => !MAY_REPEAT.test(name) && (reply.headers.get(name)?.length ?? 0) > 1);
  check("headers/foreign", repeated.length === 0, "each header once", repeated.join(", "));
  const vary = header(reply, "vary") ?? "";
  const isKnown = listMembers(vary).every((name) => name === "" || /^(?:accept-encoding|origin)$/i.test(name));
  check("headers/foreign", isKnown, "Vary with Accept-Encoding and Origin at most", shown(vary));
}

function judgeAge({ check, reply, route }: Exchanged): void {
  const age = header(reply, "age");
  if (age === undefined || route === undefined || (reply.status !== 200 && reply.status !== 304)) return;
  const most = route.edgeSeconds + route.staleIfErrorSeconds + AGE_SLACK_SECONDS;
  check("headers/age", /^\d+$/.test(age) && Number(age) <= most, `Age of at most ${most}`, shown(age));
}

function judgeError({ check, sent, reply, route }: Exchanged): void {
  const { status } = reply;
  const code = errorCode(reply);
  const isHead = sent.method === "HEAD";
  const codes = [...(CODES.get(status) ?? [])];
  const isKnown = codes.length > 0 && (isHead || codes.includes(code ?? ""));
  const expected = `exactly {"error": code}, with a status of the API and one of its codes: ${codes.join(", ")}`;
  check("errors/body", isKnown, expected, code === undefined ? startOf(reply) : seenReply(reply));
  // A malformed request gets its 400 before routing. The response to a HEAD does not show which 400 it is.
  const isActivity = status === 400 && route?.handler === "activity";
  const isNoStore = status === 503 || status === 500 || (isActivity && code === route.queryError);
  const cacheControl = header(reply, "cache-control");
  const mayBeEither = (status === 404 || (isActivity && isHead)) && cacheControl === "no-store";
  const holds = mayBeEither || cacheControl === (isNoStore ? "no-store" : undefined);
  const on = `on the ${status}`;
  check("errors/headers", holds, `Cache-Control ${isNoStore ? "no-store" : "absent"} ${on}`, shown(cacheControl));
  const wait = status === 503 ? String(RETRY_AFTER_SECONDS) : undefined;
  const retryAfter = header(reply, "retry-after");
  check("errors/headers", retryAfter === wait, `Retry-After ${wait ?? "absent"} ${on}`, shown(retryAfter));
  const extra = ["etag", SOURCE_HEADER, FALLBACK_REASON_HEADER].filter((name) => reply.headers.has(name));
  check("errors/headers", extra.length === 0, `neither ETag nor source headers ${on}`, extra.join(", "));
  const allowed = header(reply, "allow");
  const isAllowed = String(listMembers(allowed ?? "").toSorted()) === String(ALLOWED_METHODS.toSorted());
  check("errors/headers", status !== 405 || isAllowed, `Allow: ${ALLOWED_METHODS.join(", ")} ${on}`, shown(allowed));
  const age = Number(header(reply, "age") ?? "0");
  check("errors/kept", age <= (status === 503 ? KEPT_503_SECONDS : 0), `a fresh ${status}`, `Age: ${age}`);
}

/** Only rows that evaluate If-None-Match have a 304. It has the 200's Cache-Control, and a tag if the row says so. */
function judgeNotModified({ check, reply, route, file }: Exchanged): void {
  const row = route ?? file;
  if (row === undefined) return;
  check("not-modified/never", row.conditional, "no 304", "304");
  const tag = header(reply, "etag");
  const expected = `${row.notModifiedTag ? "the ETag" : "no ETag"} on the 304`;
  check("not-modified/headers", (tag !== undefined) === row.notModifiedTag, expected, shown(tag));
  judgeCacheControl(check, row.cacheControl, reply);
  if (route !== undefined) judgeSource(check, route, reply);
}

/** The headers of a good response of a route. */
export function judgeGoodHeaders(check: Check, route: NamedRoute, reply: Reply): void {
  judgeCacheControl(check, route.cacheControl, reply);
  const tag = header(reply, "etag");
  const revision = route.etag ? fieldsOf(jsonOf(reply)).revision : null;
  const isStrong = /^"[\x21\x23-\x7e]+"$/.test(tag ?? "");
  const wanted = revision === null ? undefined : typeof revision === "string" ? `"${revision}"` : "any";
  const holds = wanted === "any" ? isStrong : tag === wanted;
  check("answer/headers", holds, `ETag ${wanted ?? "absent"}`, shown(tag));
  judgeSource(check, route, reply);
}

function judgeCacheControl(check: Check, wanted: string | null, reply: Reply): void {
  const value = header(reply, "cache-control");
  const expected = `Cache-Control ${wanted ?? "absent"} on the ${reply.status}`;
  check("answer/headers", value === (wanted ?? undefined), expected, shown(value));
}

function judgeSource(check: Check, route: NamedRoute, reply: Reply): void {
  const source = header(reply, SOURCE_HEADER);
  const reason = header(reply, FALLBACK_REASON_HEADER);
  const isUnavailable = fieldsOf(jsonOf(reply)).status === "unavailable";
  const named = isUnavailable ? ["unavailable"] : ["live", "durable-cache"];
  const sources = reply.status === 304 ? ["unavailable", ...named] : named;
  const isReason = source === "durable-cache" ? REASONS.includes(reason ?? "") : reason === undefined;
  const holds = route.sourceHeaders
    ? sources.includes(source ?? "") && isReason
    : source === undefined && reason === undefined;
  const expected = route.sourceHeaders
    ? `source ${sources.join(" or ")}, a reason only with durable-cache`
    : "no source";
  check("answer/headers", holds, expected, `source ${shown(source)}, reason ${shown(reason)}`);
}

/** Returns the beginning of a body, for a finding. */
export function startOf(reply: Reply): string {
  return (textOf(reply) ?? "bytes that are not UTF-8").slice(0, 80);
}

/** Returns a media type in lower case, with one space after each semicolon. */
function normal(type: string | undefined): string | undefined {
  return type?.toLowerCase().split(";").map(withoutBlanks).join("; ");
}
