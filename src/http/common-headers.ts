/** The headers of every response, including errors, 204 and 304 (docs/spec/api.md#http). */

export const SOURCE_HEADER = "x-service-settlement-source";
export const FALLBACK_REASON_HEADER = "x-service-settlement-fallback-reason";

export const NO_SNIFF = { "x-content-type-options": "nosniff" } as const;

export const COMMON_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers":
    "ETag, Retry-After, X-Service-Settlement-Source, X-Service-Settlement-Fallback-Reason",
  ...NO_SNIFF,
} as const;

/** Sent only with a body. */
export const CONTENT_TYPE = "application/json; charset=utf-8";

export const ALLOWED_METHODS = ["GET", "HEAD", "OPTIONS"] as const;

/** The headers of the 204 to OPTIONS on every path. Browsers may cache it for a day. */
export const PREFLIGHT_HEADERS = {
  ...COMMON_HEADERS,
  "access-control-allow-methods": "GET, HEAD",
  "access-control-allow-headers": "If-None-Match",
  "access-control-max-age": "86400",
} as const;

/** The Cache-Control for clients on routes that have one. */
export const REVALIDATE = "public, max-age=0, must-revalidate";
export const NO_STORE = "no-store";
