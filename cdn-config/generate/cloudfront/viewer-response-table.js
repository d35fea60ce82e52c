// Generated from the table of routes.
export const UNAVAILABLE = {
  "statusCode": 503,
  "headers": {
    "access-control-allow-origin": {
      "value": "*"
    },
    "access-control-expose-headers": {
      "value": "ETag, Retry-After, X-Service-Settlement-Source, X-Service-Settlement-Fallback-Reason"
    },
    "x-content-type-options": {
      "value": "nosniff"
    },
    "cache-control": {
      "value": "no-store"
    },
    "retry-after": {
      "value": "2"
    },
    "content-type": {
      "value": "application/json; charset=utf-8"
    }
  },
  "body": "{\"error\":\"store_unavailable\"}"
};
export const CACHE_CONTROL = "noonmark-cache-control";
export const STATUS = "noonmark-status";
export const KEPT_UNTIL = "noonmark-kept-until";
export const NOT_MODIFIED = "noonmark-not-modified";
export const HEARD = "noonmark-heard";
export const NOT_ON_304 = [
  "content-type",
  "content-length",
  "content-encoding",
  "content-security-policy",
  "referrer-policy"
];
export const NONE_MATCH = "noonmark-none-match";
