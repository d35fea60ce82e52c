/** Rules of every error: its status, its headers, and its body of one field. */
import { ALLOWED_METHODS, FALLBACK_REASON_HEADER, SOURCE_HEADER } from "../http/common-headers.ts";
import { COMMON_ERRORS, RETRY_AFTER_SECONDS } from "../http/errors.ts";
import { listMembers } from "../values/text.ts";
import { CONTRACT } from "./contract.ts";
import { header, type Judged, type Reply, requestText, shown, textOf } from "./exchange.ts";
import { ALLOW } from "./exchanges/rules.ts";
import { type Checks, family, type Rule, type Subject } from "./report.ts";

const SPEC = "docs/spec/api.md#errors";

export const ERRORS = family("errors", {
  body: [
    'an error\'s body is exactly {"error": code}',
    "let the front pass the origin's errors unchanged, and turn its own error pages off",
    SPEC,
  ],
  "cache-control": [
    "503, 500 and the activity's 400 have Cache-Control: no-store, other errors have none (a 404 may have it)",
    "let the front neither add nor drop Cache-Control on errors",
    SPEC,
  ],
  "retry-after": [
    `503 has Retry-After: ${RETRY_AFTER_SECONDS}, other errors have none`,
    "let the front pass Retry-After",
    SPEC,
  ],
  validators: [
    "an error has no ETag and no source header",
    "have the front drop validators from errors: they come from the storage",
    SPEC,
  ],
  code: [
    "an error has a status of the API and one of its codes",
    "let the front pass the origin's errors unchanged, and turn its own error pages off",
    SPEC,
  ],
  kept: [
    "no cache keeps an error, except a published 503 for one second",
    "give errors no lifetime in the cache: a stored 404 or 400 outlives its cause",
    SPEC,
  ],
});

/** Codes by status (docs/spec/api.md#errors). */
export const CODES = new Map<number, Set<string>>();
for (const [code, status] of Object.entries(COMMON_ERRORS)) allow(status, code);
for (const { queryError, unavailable } of CONTRACT) {
  if (queryError !== null) allow(400, queryError);
  for (const code of unavailable) allow(503, code);
}

function allow(status: number, code: string): void {
  CODES.set(status, (CODES.get(status) ?? new Set<string>()).add(code));
}

/** A published 503 is kept for one second; another second allows for rounding. */
const KEPT_503_SECONDS = 2;

export function judgeError(judged: Judged): void {
  const { run, route, subject, sent, reply } = judged;
  const { status } = reply;
  if (status < 400) return;
  if (sent.method !== "HEAD") {
    run.check(ERRORS.body, subject, errorCode(reply) !== undefined, () => ({
      expected: `exactly {"error": code} in the ${status} to ${requestText(judged)}`,
      saw: textOf(reply) ?? `${reply.body.length} bytes that are not UTF-8`,
    }));
  }
  const codes = CODES.get(status);
  const code = errorCode(reply);
  run.check(ERRORS.code, subject, codes !== undefined && (sent.method === "HEAD" || codes.has(code ?? "")), () => ({
    expected: `${codes === undefined ? "a status of the API" : `one of ${[...codes].join(", ")} in the ${status}`} to ${requestText(judged)}`,
    saw: seen(reply),
  }));
  if (status === 405) {
    const allowed = header(reply, "allow");
    const names = listMembers(allowed ?? "").toSorted();
    run.check(ALLOW, subject, String(names) === String(ALLOWED_METHODS.toSorted()), () => ({
      expected: `Allow: ${ALLOWED_METHODS.join(", ")} on the 405 to ${requestText(judged)}`,
      saw: shown(allowed),
    }));
  }
  // A malformed request gets its 400 before routing. The response to a HEAD does not show which 400 it is.
  const isActivity = status === 400 && route?.handler === "activity";
  const isNoStore = status === 503 || status === 500 || (isActivity && code === route.queryError);
  const cacheControl = header(reply, "cache-control");
  const mayBeEither = (status === 404 || (isActivity && sent.method === "HEAD")) && cacheControl === "no-store";
  const holds = mayBeEither || cacheControl === (isNoStore ? "no-store" : undefined);
  run.check(ERRORS["cache-control"], subject, holds, () => ({
    expected: `${isNoStore ? "Cache-Control: no-store" : "no Cache-Control"} on the ${status} to ${requestText(judged)}`,
    saw: shown(cacheControl),
  }));
  const wait = status === 503 ? String(RETRY_AFTER_SECONDS) : undefined;
  const retryAfter = header(reply, "retry-after");
  run.check(ERRORS["retry-after"], subject, retryAfter === wait, () => ({
    expected: `Retry-After ${wait ?? "absent"} on the ${status} to ${requestText(judged)}`,
    saw: shown(retryAfter),
  }));
  const extra = ["etag", SOURCE_HEADER, FALLBACK_REASON_HEADER].filter((name) => reply.headers.has(name));
  run.check(ERRORS.validators, subject, extra.length === 0, () => ({
    expected: `neither ETag nor source headers on the ${status} to ${requestText(judged)}`,
    saw: extra.map((name) => `${name}: ${header(reply, name)}`).join("; "),
  }));
  const age = Number(header(reply, "age") ?? "0");
  run.check(ERRORS.kept, subject, age <= (status === 503 ? KEPT_503_SECONDS : 0), () => ({
    expected: `a fresh ${status} to ${requestText(judged)}`,
    saw: `Age: ${age}`,
  }));
}

const LONGEST_ERROR_BYTES = 1_024;

/** Returns the code if the body is exactly an error body; whitespace is allowed. */
export function errorCode(reply: Reply): string | undefined {
  if (reply.body.length > LONGEST_ERROR_BYTES) return undefined;
  return /^\s*\{\s*"error"\s*:\s*"([a-z0-9_]+)"\s*\}\s*$/.exec(textOf(reply) ?? "")?.[1];
}

export interface RefusedExchange {
  readonly run: Checks;
  readonly rule: Rule;
  readonly subject: Subject;
  /** The request as findings show it. */
  readonly request: string;
  readonly reply: Reply;
}

/** Checks that a request gets an error with this status and code. */
export function judgeRefusal(
  { run, rule, subject, request, reply }: RefusedExchange,
  status: number,
  code: string,
): void {
  run.check(rule, subject, reply.status === status && errorCode(reply) === code, () => ({
    expected: `${status} ${code} to ${request}`,
    saw: seen(reply),
  }));
}

/** Describes a response by its status, and its code or the beginning of its body. */
export function seen(reply: Reply): string {
  const code = errorCode(reply);
  if (code !== undefined) return `${reply.status} ${code}`;
  const text = textOf(reply) ?? "";
  return `${reply.status}${reply.status < 400 || text === "" ? "" : ` ${JSON.stringify(text.slice(0, 60))}`}`;
}
