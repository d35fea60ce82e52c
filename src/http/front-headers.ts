/**
 * The headers between a front (a CDN or cache between readers and shim) and the shim. No client sees them.
 *
 * - A front that is before the bucket too sends `noonmark-front: 1` and gets the instant until which a response is valid.
 * - A CDN that only obeys Cache-Control sends `edge`, or `pass` for a URL that it does not know. Cache-Control then says how
 *   long it may keep the response, and the headers below have the values that its own code must restore for the client.
 */
export const FRONT_HEADER = "noonmark-front";
/** Beside it, if the shim trusts only fronts that know a secret. */
export const FRONT_SECRET_HEADER = "noonmark-front-secret";
/** On the response to a trusted front: without it no front keeps a response of the shim. */
export const HEARD_HEADER = "noonmark-heard";

export const FRONT = { edge: "edge", pass: "pass" } as const;

/** The first instant (epoch ms) at which another version holds. */
export const VALID_UNTIL_HEADER = "noonmark-valid-until";

/** On a published error, which a front may keep for a second. It must not keep the shim's own errors. */
export const PUBLISHED_HEADER = "noonmark-published";

/** On responses to `edge` and `pass`. */
export const EDGE_HEADERS = {
  /** The client's Cache-Control; absent if the client gets none. */
  cacheControl: "noonmark-cache-control",
  /** The client's status, if the response itself travels as a 200. */
  status: "noonmark-status",
  /** No cache may serve it from this instant (epoch ms) on, even if the origin fails. */
  keptUntil: "noonmark-kept-until",
  /** If If-None-Match is evaluated: the 304 carries the tag (`tag`) or not (`no-tag`). */
  notModified: "noonmark-not-modified",
} as const;
