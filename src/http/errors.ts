/** Error responses (docs/spec/api.md#errors): a body of one field, and almost no headers. */
import { ALLOWED_METHODS, NO_STORE } from "./common-headers.ts";
import type { Representation } from "./representation.ts";

/** Seconds that a client should wait after a 503 (docs/spec/api.md#errors). */
export const RETRY_AFTER_SECONDS = 2;

/** `{"error": code}` and nothing else. */
export function errorBody(code: string): string {
  return JSON.stringify({ error: code });
}

/** 400: the client's mistake. Only the activity's carries a Cache-Control (docs/spec/api.md#errors). */
export function badRequest(code: string, cacheControl: string | null = null): Representation {
  return {
    status: 400,
    headers: cacheControl === null ? {} : { "cache-control": cacheControl },
    body: errorBody(code),
  };
}

/** 503: no response is available for now. */
export function unavailable(code: string): Representation {
  return {
    status: 503,
    headers: { "cache-control": NO_STORE, "retry-after": String(RETRY_AFTER_SECONDS) },
    body: errorBody(code),
  };
}

export const NOT_FOUND: Representation = { status: 404, headers: {}, body: errorBody("not_found") };

export const METHOD_NOT_ALLOWED: Representation = {
  status: 405,
  headers: { allow: ALLOWED_METHODS.join(", ") },
  body: errorBody("method_not_allowed"),
};

/** Malformed HTTP (docs/spec/api.md#malformed-http). */
export const EXPECTATION_FAILED: Representation = { status: 417, headers: {}, body: errorBody("expectation_failed") };
export const HEADERS_TOO_LARGE: Representation = { status: 431, headers: {}, body: errorBody("headers_too_large") };
/** A request that did not arrive in time. */
export const REQUEST_TIMEOUT: Representation = { status: 408, headers: {}, body: errorBody("request_timeout") };

/** A defect of the service: there is no response at all. */
export const INTERNAL_ERROR: Representation = {
  status: 500,
  headers: { "cache-control": NO_STORE },
  body: errorBody("internal_error"),
};
