// Generated from the table of routes by cdn-config/generate/nginx/table.ts; test/cdn-config/generated.test.ts holds that.
export const ROUTES = {
  "telemetry": {
    "edgeSeconds": 1,
    "staleIfErrorSeconds": 60,
    "conditional": false,
    "notModifiedTag": false
  },
  "installation-telemetry": {
    "edgeSeconds": 1,
    "staleIfErrorSeconds": 60,
    "conditional": false,
    "notModifiedTag": false
  },
  "modules": {
    "edgeSeconds": 1,
    "staleIfErrorSeconds": 60,
    "conditional": false,
    "notModifiedTag": false
  },
  "observations": {
    "edgeSeconds": 1,
    "staleIfErrorSeconds": 60,
    "conditional": false,
    "notModifiedTag": false
  },
  "process": {
    "edgeSeconds": 1,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": true
  },
  "statistics": {
    "edgeSeconds": 5,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": true
  },
  "onchain": {
    "edgeSeconds": 5,
    "staleIfErrorSeconds": 0,
    "conditional": false,
    "notModifiedTag": false
  },
  "settlements": {
    "edgeSeconds": 5,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": false
  },
  "activity": {
    "edgeSeconds": 5,
    "staleIfErrorSeconds": 0,
    "conditional": false,
    "notModifiedTag": false
  },
  "settlements-legacy": {
    "edgeSeconds": 5,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": false
  }
};
export const HEADERS = [
  "etag",
  "cache-control",
  "retry-after",
  "x-service-settlement-source",
  "x-service-settlement-fallback-reason"
];
export const PASSED = [
  "access-control-allow-origin",
  "access-control-expose-headers",
  "x-content-type-options",
  "access-control-allow-methods",
  "access-control-allow-headers",
  "access-control-max-age",
  "allow",
  "etag",
  "cache-control",
  "retry-after",
  "x-service-settlement-source",
  "x-service-settlement-fallback-reason",
  "content-encoding",
  "content-length",
  "content-type",
  "vary"
];
export const CONTENT_TYPE = "application/json; charset=utf-8";
export const COMPRESSED_FROM = 1024;
export const HEARD = "noonmark-heard";
export const PUBLISHED = "noonmark-published";
export const VALID_UNTIL = "noonmark-valid-until";
export const PUBLISHED_ERROR_SECONDS = 1;
export const UNAVAILABLE = {
  "status": 503,
  "headers": {
    "cache-control": "no-store",
    "retry-after": "2"
  },
  "body": "{\"error\":\"store_unavailable\"}",
  "seconds": 0
};
