// Generated from the table of routes.
export const ROUTES = {
  "telemetry": {
    "edgeSeconds": 1,
    "staleIfErrorSeconds": 60,
    "conditional": false,
    "notModifiedTag": false,
    "contentType": "application/json; charset=utf-8",
    "cors": true
  },
  "installation-telemetry": {
    "edgeSeconds": 1,
    "staleIfErrorSeconds": 60,
    "conditional": false,
    "notModifiedTag": false,
    "contentType": "application/json; charset=utf-8",
    "cors": true
  },
  "modules": {
    "edgeSeconds": 1,
    "staleIfErrorSeconds": 60,
    "conditional": false,
    "notModifiedTag": false,
    "contentType": "application/json; charset=utf-8",
    "cors": true
  },
  "observations": {
    "edgeSeconds": 1,
    "staleIfErrorSeconds": 60,
    "conditional": false,
    "notModifiedTag": false,
    "contentType": "application/json; charset=utf-8",
    "cors": true
  },
  "process": {
    "edgeSeconds": 1,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": true,
    "contentType": "application/json; charset=utf-8",
    "cors": true
  },
  "statistics": {
    "edgeSeconds": 5,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": true,
    "contentType": "application/json; charset=utf-8",
    "cors": true
  },
  "onchain": {
    "edgeSeconds": 5,
    "staleIfErrorSeconds": 0,
    "conditional": false,
    "notModifiedTag": false,
    "contentType": "application/json; charset=utf-8",
    "cors": true
  },
  "settlements": {
    "edgeSeconds": 5,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": false,
    "contentType": "application/json; charset=utf-8",
    "cors": true
  },
  "activity": {
    "edgeSeconds": 5,
    "staleIfErrorSeconds": 0,
    "conditional": false,
    "notModifiedTag": false,
    "contentType": "application/json; charset=utf-8",
    "cors": true
  },
  "settlements-legacy": {
    "edgeSeconds": 5,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": false,
    "contentType": "application/json; charset=utf-8",
    "cors": true
  },
  "page": {
    "edgeSeconds": 60,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": true,
    "contentType": "text/html; charset=utf-8",
    "cors": false
  },
  "docs": {
    "edgeSeconds": 60,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": true,
    "contentType": "text/html; charset=utf-8",
    "cors": false
  },
  "asset": {
    "edgeSeconds": 3600,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": true,
    "contentType": null,
    "cors": true
  },
  "openapi": {
    "edgeSeconds": 60,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": true,
    "contentType": "application/json; charset=utf-8",
    "cors": true
  },
  "feed-json": {
    "edgeSeconds": 60,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": true,
    "contentType": "application/feed+json; charset=utf-8",
    "cors": true
  },
  "feed-atom": {
    "edgeSeconds": 60,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": true,
    "contentType": "application/atom+xml; charset=utf-8",
    "cors": true
  },
  "badge": {
    "edgeSeconds": 1,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": true,
    "contentType": "application/json; charset=utf-8",
    "cors": true
  },
  "publication-status": {
    "edgeSeconds": 1,
    "staleIfErrorSeconds": 0,
    "conditional": false,
    "notModifiedTag": false,
    "contentType": "application/json; charset=utf-8",
    "cors": true
  },
  "robots": {
    "edgeSeconds": 60,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": true,
    "contentType": "text/plain; charset=utf-8",
    "cors": true
  },
  "favicon": {
    "edgeSeconds": 60,
    "staleIfErrorSeconds": 0,
    "conditional": true,
    "notModifiedTag": true,
    "contentType": "image/svg+xml",
    "cors": true
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
export const COMMON_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "ETag, Retry-After, X-Service-Settlement-Source, X-Service-Settlement-Fallback-Reason",
  "x-content-type-options": "nosniff"
};
export const NO_SNIFF = {
  "x-content-type-options": "nosniff"
};
export const OWN_HEADERS = {
  "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer"
};
export const COMPRESSED_FROM = 1024;
export const COMPRESSED_CONTENT_TYPES = [
  "application/json",
  "application/json; charset=utf-8",
  "text/html",
  "text/html; charset=utf-8",
  "text/css",
  "text/css; charset=utf-8",
  "text/javascript",
  "text/javascript; charset=utf-8",
  "application/javascript",
  "application/javascript; charset=utf-8",
  "application/feed+json",
  "application/feed+json; charset=utf-8",
  "application/atom+xml",
  "application/atom+xml; charset=utf-8",
  "text/plain",
  "text/plain; charset=utf-8",
  "image/svg+xml",
  "image/svg+xml; charset=utf-8"
];
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
