/**
 * Error responses (docs/spec/api.md#errors): a body of one field, and almost no headers. COMMON_ERRORS has the codes that do not
 * depend on the route; a row and its contract have the others.
 */
import { ALLOWED_METHODS, NO_STORE } from "./common-headers.ts";
import type { Representation } from "./representation.ts";

/** Seconds that a client should wait after a 503 (docs/spec/api.md#errors). */
export const RETRY_AFTER_SECONDS = 2;

interface CommonError {
  readonly status: number;
  /** For the reference of codes. */
  readonly where: string;
  /** True for HTTP that no client of the API sends (docs/spec/api.md#malformed-http). */
  readonly isMalformedHttp?: true;
}

const MALFORMED = { where: "malformed HTTP", isMalformedHttp: true } as const;

const CODES = {
  invalid_installation_id: { status: 400, where: "routes with an id" },
  not_found: { status: 404, where: "every other path" },
  method_not_allowed: { status: 405, where: "every route" },
  internal_error: { status: 500, where: "every route" },
  store_unavailable: { status: 503, where: "every route" },
  bad_request: { status: 400, ...MALFORMED },
  request_timeout: { status: 408, ...MALFORMED },
  expectation_failed: { status: 417, ...MALFORMED },
  headers_too_large: { status: 431, ...MALFORMED },
} as const satisfies Record<string, CommonError>;

type CommonCode = keyof typeof CODES;
export const COMMON_ERRORS: Readonly<Record<CommonCode, CommonError>> = CODES;

/** `{"error": code}` and nothing else. */
export function errorBody(code: string): string {
  return JSON.stringify({ error: code });
}

/** 400: the client's mistake. Only activity's has a Cache-Control (docs/spec/api.md#errors). */
export function badRequest(code: string, cacheControl: string | null = null): Representation {
  return {
    status: 400,
    headers: cacheControl === null ? {} : { "cache-control": cacheControl },
    body: errorBody(code),
  };
}

/** 503: no response is currently available. */
export function unavailable(code: string): Representation {
  return {
    status: 503,
    headers: { "cache-control": NO_STORE, "retry-after": String(RETRY_AFTER_SECONDS) },
    body: errorBody(code),
  };
}

function common(code: CommonCode, headers: Readonly<Record<string, string>> = {}): Representation {
  return { status: COMMON_ERRORS[code].status, headers, body: errorBody(code) };
}

export const NOT_FOUND = common("not_found");
export const METHOD_NOT_ALLOWED = common("method_not_allowed", { allow: ALLOWED_METHODS.join(", ") });
export const EXPECTATION_FAILED = common("expectation_failed");
export const HEADERS_TOO_LARGE = common("headers_too_large");
/** A request that did not arrive in time. */
export const REQUEST_TIMEOUT = common("request_timeout");
/** A defect of the service: there is no response at all. */
export const INTERNAL_ERROR = common("internal_error", { "cache-control": NO_STORE });
