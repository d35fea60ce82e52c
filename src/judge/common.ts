/** Rules of every response, including errors, 204 and 304. */
import { COMMON_HEADERS, CONTENT_TYPE } from "../http/common-headers.ts";
import { listMembers, withoutBlanks } from "../values/text.ts";
import { header, type Judged, requestText, shown } from "./exchange.ts";
import { family } from "./report.ts";

const DECIDED = "docs/spec/api.md#http";

export const COMMON = family("headers", {
  cors: [
    "Access-Control-Allow-Origin is * on every response",
    "let the front pass Access-Control-Allow-Origin on every status, 304 and errors included",
    DECIDED,
  ],
  exposed: [
    "Access-Control-Expose-Headers names ETag, Retry-After and the two source headers on every response",
    "let the front pass Access-Control-Expose-Headers on every status, 304 and errors included",
    DECIDED,
  ],
  nosniff: [
    "X-Content-Type-Options is nosniff on every response",
    "let the front pass X-Content-Type-Options",
    DECIDED,
  ],
  "content-type": [
    `Content-Type is ${CONTENT_TYPE} on every response with a body, and absent on all others`,
    "let the front not change Content-Type, and turn its own error pages off",
    DECIDED,
  ],
  "content-length": [
    "Content-Length is the length of the body",
    "let no part of the front change a body after the length is set",
    DECIDED,
  ],
  "no-body": ["204, 304 and responses to HEAD have no body", "send 204, 304 and HEAD without a body", DECIDED],
  once: ["no header is sent twice", "let only one of origin and front set the header", DECIDED],
  foreign: [
    "no header of the storage, of a session or of the front itself reaches a reader",
    "have the front drop the header: it comes from the storage or a cache",
    DECIDED,
  ],
  vary: [
    "Vary names nothing but Accept-Encoding and Origin",
    "drop Vary: otherwise a cache keeps one copy for each reader",
    DECIDED,
  ],
  identity: [
    "a response is encoded only if the reader accepts the encoding",
    "key stored copies by Accept-Encoding, or store them plain",
    DECIDED,
  ],
  age: [
    "Age is at most the time for which a cache may keep the response",
    "let the cache keep it for min(edge seconds, valid-until − now) and give it no default TTL",
    "docs/spec/api.md#caching",
  ],
});

const FOREIGN =
  /^(?:last-modified|expires|pragma|set-cookie|content-disposition|content-location|content-range|content-language|accept-ranges|www-authenticate|x-timestamp|x-trans-id|x-openstack-request-id|x-powered-by|(?:x-amz|x-goog|x-ms|x-rgw|x-object|x-r2|noonmark)-.*)$/;
const MAY_REPEAT =
  /^(?:via|set-cookie|vary|server-timing|cache-control|access-control-expose-headers|link|alt-svc|warning)$/;
const EXPOSED = COMMON_HEADERS["access-control-expose-headers"].toLowerCase().split(", ");
/** Tolerance for clock differences and rounding. */
const AGE_SLACK_SECONDS = 2;

export function judgeCommon(judged: Judged): void {
  judgeShared(judged);
  judgeBody(judged);
  judgeLines(judged);
  judgeAge(judged);
}

function judgeShared(judged: Judged): void {
  const { run, subject, reply, file } = judged;
  const sniff = header(reply, "x-content-type-options");
  run.check(COMMON.nosniff, subject, sniff?.toLowerCase() === "nosniff", () => ({
    expected: `X-Content-Type-Options: nosniff on the ${reply.status} to ${requestText(judged)}`,
    saw: shown(sniff),
  }));
  // Pages have no CORS headers, because scripts of other sites may not read them.
  if (file?.cors === false && reply.status < 400 && reply.status !== 204) return;
  const origin = header(reply, "access-control-allow-origin");
  run.check(COMMON.cors, subject, origin === "*", () => ({
    expected: `Access-Control-Allow-Origin: * on the ${reply.status} to ${requestText(judged)}`,
    saw: shown(origin),
  }));
  const exposed = header(reply, "access-control-expose-headers");
  const names = listMembers((exposed ?? "").toLowerCase());
  run.check(
    COMMON.exposed,
    subject,
    EXPOSED.every((name) => names.includes(name)),
    () => ({
      expected: `Access-Control-Expose-Headers with ${EXPOSED.join(", ")} on the ${reply.status} to ${requestText(judged)}`,
      saw: shown(exposed),
    }),
  );
}

function judgeBody(judged: Judged): void {
  const { run, subject, sent, reply, file } = judged;
  const { status, body, wireLength } = reply;
  const bare = status === 204 || status === 304;
  const type = header(reply, "content-type");
  const good = file === undefined ? CONTENT_TYPE : file.contentType;
  const wanted = bare ? undefined : status === 200 ? (good ?? normal(type)) : CONTENT_TYPE;
  run.check(COMMON["content-type"], subject, normal(type) === wanted, () => ({
    expected: `${wanted === undefined ? "no Content-Type" : `Content-Type: ${wanted}`} on the ${status} to ${requestText(judged)}`,
    saw: shown(type),
  }));
  if (bare || sent.method === "HEAD") {
    run.check(COMMON["no-body"], subject, body.length === 0, () => ({
      expected: `no body in the ${status} to ${requestText(judged)}`,
      saw: `${body.length} bytes`,
    }));
  }
  const length = header(reply, "content-length");
  if (length !== undefined && sent.method !== "HEAD" && status !== 304) {
    run.check(COMMON["content-length"], subject, length === String(wireLength), () => ({
      expected: `Content-Length: ${wireLength} on the ${status} to ${requestText(judged)}`,
      saw: shown(length),
    }));
  }
  const encoding = header(reply, "content-encoding");
  if (sent.headers["accept-encoding"] === "identity") {
    run.check(COMMON.identity, subject, encoding === undefined, () => ({
      expected: `no Content-Encoding on the ${status} to ${requestText(judged)}, sent with Accept-Encoding: identity`,
      saw: shown(encoding),
    }));
  }
}

function judgeLines(judged: Judged): void {
  const { run, subject, reply } = judged;
  const names = [...reply.headers.keys()];
  const foreign = names.filter((name) => FOREIGN.test(name));
  run.check(COMMON.foreign, subject, foreign.length === 0, () => ({
    expected: `no header of the storage or a cache on the ${reply.status} to ${requestText(judged)}`,
    saw: foreign.map((name) => `${name}: ${header(reply, name)}`).join("; "),
  }));
  const repeated = names.filter((name) => !MAY_REPEAT.test(name) && (reply.headers.get(name)?.length ?? 0) > 1);
  run.check(COMMON.once, subject, repeated.length === 0, () => ({
    expected: `each header once on the ${reply.status} to ${requestText(judged)}`,
    saw: repeated.map((name) => `${name} ${reply.headers.get(name)?.length} times`).join("; "),
  }));
  const vary = header(reply, "vary") ?? "";
  const others = listMembers(vary).filter((name) => name !== "" && !/^(?:accept-encoding|origin)$/i.test(name));
  run.check(COMMON.vary, subject, others.length === 0, () => ({
    expected: `Vary with Accept-Encoding and Origin at most on the ${reply.status} to ${requestText(judged)}`,
    saw: shown(vary),
  }));
}

function judgeAge(judged: Judged): void {
  const { run, route, subject, reply } = judged;
  const age = header(reply, "age");
  if (age === undefined || route === undefined || (reply.status !== 200 && reply.status !== 304)) return;
  const most = route.edgeSeconds + route.staleIfErrorSeconds + AGE_SLACK_SECONDS;
  run.check(COMMON.age, subject, /^\d+$/.test(age) && Number(age) <= most, () => ({
    expected: `Age of at most ${most} on the ${reply.status} to ${requestText(judged)}`,
    saw: shown(age),
  }));
}

/** Returns a media type in lower case, with one space after each semicolon. */
function normal(type: string | undefined): string | undefined {
  return type?.toLowerCase().split(";").map(withoutBlanks).join("; ");
}
