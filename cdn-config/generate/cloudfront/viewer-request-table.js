// Generated from the table of routes.
export const URLS = [
  [/^\/v1\/public\/telemetry(?:\?.*)?$/, {}],
  [/^\/v1\/public\/installations\/(?!\.{1,2}\/)[A-Za-z0-9._:-]{1,128}\/telemetry(?:\?.*)?$/, {}],
  [/^\/v1\/public\/modules(?:\?.*)?$/, {}],
  [/^\/v1\/public\/installations\/(?!\.{1,2}\/)[A-Za-z0-9._:-]{1,128}\/observations(?:\?(?:cursor=[A-Za-z0-9_-]{1,24}|cursor=[A-Za-z0-9_-]{1,24}&limit=[0-9]{1,3}|limit=[0-9]{1,3}))?$/, null],
  [/^\/v4\/public\/process(?:\?&*)?$/, {}],
  [/^\/v2\/public\/stats\?&*(?:range=7d)&*$/, {"range":{"value":"7d"}}],
  [/^\/v2\/public\/stats\?&*(?:range=30d)&*$/, {"range":{"value":"30d"}}],
  [/^\/v4\/public\/onchain(?:\?&*)?$/, {}],
  [/^\/v4\/public\/settlements\?&*(?:range=now)&*$/, {"range":{"value":"now"}}],
  [/^\/v4\/public\/settlements\?&*(?:range=24h)&*$/, {"range":{"value":"24h"}}],
  [/^\/v4\/public\/settlements\?&*(?:range=7d)&*$/, {"range":{"value":"7d"}}],
  [/^\/v4\/public\/settlements\?&*(?:range=30d)&*$/, {"range":{"value":"30d"}}],
  [/^\/v4\/public\/settlements\?&*(?:range=now&+queue=1|queue=1&+range=now)&*$/, {"range":{"value":"now"},"queue":{"value":"1"}}],
  [/^\/v1\/public\/activity(?:\?(?:category=(?:all|protocol|players|measurement)|category=(?:all|protocol|players|measurement)&limit=[0-9]{1,3}|category=(?:all|protocol|players|measurement)&limit=[0-9]{1,3}&cursor=[A-Za-z0-9_-]{1,512}|category=(?:all|protocol|players|measurement)&cursor=[A-Za-z0-9_-]{1,512}|limit=[0-9]{1,3}|limit=[0-9]{1,3}&cursor=[A-Za-z0-9_-]{1,512}|cursor=[A-Za-z0-9_-]{1,512}))?$/, null],
  [/^\/v3\/public\/settlements\?&*(?:range=now)&*$/, {"range":{"value":"now"}}],
  [/^\/v3\/public\/settlements\?&*(?:range=24h)&*$/, {"range":{"value":"24h"}}],
  [/^\/v3\/public\/settlements\?&*(?:range=7d)&*$/, {"range":{"value":"7d"}}],
  [/^\/v3\/public\/settlements\?&*(?:range=30d)&*$/, {"range":{"value":"30d"}}],
  [/^\/(?:\?.*)?$/, {}],
  [/^\/docs(?:\?.*)?$/, {}],
  [/^\/assets\/[A-Za-z0-9_]{1,64}-[0-9a-f]{8,64}\.[a-z0-9]{1,8}(?:\?.*)?$/, {}],
  [/^\/openapi\.json(?:\?.*)?$/, {}],
  [/^\/feed\.json(?:\?.*)?$/, {}],
  [/^\/feed\.atom(?:\?.*)?$/, {}],
  [/^\/badge\.json(?:\?.*)?$/, {}],
  [/^\/status\.json(?:\?.*)?$/, {}],
  [/^\/robots\.txt(?:\?.*)?$/, {}],
  [/^\/favicon\.svg(?:\?.*)?$/, {}],
];
export const PREFLIGHT = {
  "statusCode": 204,
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
    "access-control-allow-methods": {
      "value": "GET, HEAD"
    },
    "access-control-allow-headers": {
      "value": "If-None-Match"
    },
    "access-control-max-age": {
      "value": "86400"
    }
  }
};
export const WRONG_METHOD = {
  "statusCode": 405,
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
    "allow": {
      "value": "GET, HEAD, OPTIONS"
    },
    "content-type": {
      "value": "application/json; charset=utf-8"
    }
  },
  "body": "{\"error\":\"method_not_allowed\"}"
};
export const DROPPED = [
  "if-none-match",
  "if-modified-since",
  "if-match",
  "if-unmodified-since",
  "if-range",
  "range"
];
export const NONE_MATCH = "noonmark-none-match";
export const FRONT = "noonmark-front";
export const EDGE = "edge";
export const PASS = "pass";
