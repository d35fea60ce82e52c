/**
 * Error responses (docs/spec/api.md#errors): a body with one field, and few headers. COMMON_ERRORS has the codes that
 * do not depend on the route; rows and their contracts have the others.
 */
import { ALLOWED_METHODS, NO_STORE } from "./common-headers.ts";
import type { Representation } from "./representation.ts";

/** Seconds that a client should wait after a 503 (docs/spec/api.md#errors). */
export const RETRY_AFTER_SECONDS = 2;

/** Statuses of the codes. */
export const COMMON_ERRORS = {
  invalid_installation_id: 400,
  not_found: 404,
  method_not_allowed: 405,
  internal_error: 500,
  store_unavailable: 503,
  bad_request: 400,
  headers_too_large: 431,
} as const satisfies Record<string, number>;

export type CommonCode = keyof typeof COMMON_ERRORS;

/** A front may send these (docs/spec/api.md#malformed-http). The shim leaves malformed HTTP to Node. */
export const MALFORMED_HTTP = "malformed HTTP, from a front";

/** The requests that can get each code, for the reference of codes. */
export const ERROR_SOURCES: Readonly<Record<CommonCode, string>> = {
  invalid_installation_id: "routes with an id",
  not_found: "every other path",
  method_not_allowed: "every route",
  internal_error: "every route",
  store_unavailable: "every route",
  bad_request: MALFORMED_HTTP,
  headers_too_large: MALFORMED_HTTP,
};

/** `{"error": code}` and nothing else. */
function errorBody(code: string): string {
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
  return { status: COMMON_ERRORS[code], headers, body: errorBody(code) };
}

export const NOT_FOUND = common("not_found");
export const METHOD_NOT_ALLOWED = common("method_not_allowed", { allow: ALLOWED_METHODS.join(", ") });
/** A defect of the service. There is no valid response. */
export const INTERNAL_ERROR = common("internal_error", { "cache-control": NO_STORE });
