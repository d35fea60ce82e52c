/**
 * What a front (a CDN or cache between readers and shim) and the shim say to each other, in headers that no client
 * sees. A front that stands before the bucket too says `noonmark-front: 1` and is told until when an answer is valid.
 *
 * A CDN that obeys Cache-Control alone says `edge`, or `pass` for a URL it does not know: what it may keep then stands
 * in Cache-Control, and what its own code must put back for the client in the headers below.
 */
export const FRONT_HEADER = "noonmark-front";
/** Beside it, where the shim hears only fronts that know a secret. */
export const FRONT_SECRET_HEADER = "noonmark-front-secret";
/** On the answer to a front that was heard: without it no front keeps an answer of the shim. */
export const HEARD_HEADER = "noonmark-heard";

export const FRONT = { edge: "edge", pass: "pass" } as const;

/** The first instant (epoch ms) at which another answer holds. */
export const VALID_UNTIL_HEADER = "noonmark-valid-until";

/** On an error that is published, which a front may keep for a second; the shim's own errors are not to be kept. */
export const PUBLISHED_HEADER = "noonmark-published";

/** Of answers to `edge` and `pass`. */
export const EDGE_HEADERS = {
  /** The client's Cache-Control; absent where the client gets none. */
  cacheControl: "noonmark-cache-control",
  /** The client's status, where the answer itself travels as a 200. */
  status: "noonmark-status",
  /** From this instant (epoch ms) on no cache may answer with it, an origin that fails or not. */
  keptUntil: "noonmark-kept-until",
  /** Where If-None-Match is evaluated: whether the 304 carries the tag (`tag`) or not (`no-tag`). */
  notModified: "noonmark-not-modified",
} as const;
