/**
 * The headers between a front (a CDN or cache between readers and shim) and the shim. Clients never see them.
 *
 * - A front that also reads the bucket sends `noonmark-front: 1` and gets the instant at which a response expires.
 * - A CDN that only obeys Cache-Control sends `edge`, or `pass` for a URL that it does not know. Cache-Control then
 *   says how long it may keep the response. The headers below carry the client's values, which the CDN's script
 *   restores.
 */
export const FRONT_HEADER = "noonmark-front";
/** Sent with FRONT_HEADER, if the shim trusts only fronts that know a secret. */
export const FRONT_SECRET_HEADER = "noonmark-front-secret";
/** Set on responses to a trusted front. Without it, no front caches a response of the shim. */
export const TRUSTED_HEADER = "noonmark-trusted";

export const FRONT = { edge: "edge", pass: "pass" } as const;

/** The first instant (epoch ms) at which the response's successor holds. */
export const VALID_UNTIL_HEADER = "noonmark-valid-until";

/** Set on a published error, which a front may cache for a second. The shim's other errors must not be cached. */
export const PUBLISHED_HEADER = "noonmark-published";

/** Set on responses to `edge` and `pass`. */
export const EDGE_HEADERS = {
  /** The client's Cache-Control; absent if the client gets none. */
  cacheControl: "noonmark-cache-control",
  /** The client's status, if the response is sent to the CDN as a 200. */
  status: "noonmark-status",
  /** From this instant (epoch ms) on, no cache may serve it, even if the origin fails. */
  keptUntil: "noonmark-kept-until",
  /** Present if If-None-Match is evaluated: `tag` if the 304 carries the tag, else `no-tag`. */
  notModified: "noonmark-not-modified",
} as const;
