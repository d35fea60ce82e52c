/**
 * Object keys, and those that belong to no single resource (docs/spec/publishing.md#objects). A resource's own keys are in
 * its folder.
 *
 * A key is the URL path without its first slash, and one more segment for the query. An installation id follows `~`, so that
 * none is ever a raw path segment (`..` matches the API's pattern).
 */

/** Positions in one tile of the observations' history, and events in one tile of the activity. */
export const TILE_SIZE = 128;

/** Names the installations and their histories; an id that is not in it costs no read. */
export const INSTALLATIONS_KEY = "installations";
/** The lease and the publisher's last report of itself. */
export const STATUS_KEY = "status.json";
/** Only the operator may read the objects below it. No front and no shim serves them. */
export const PRIVATE_PREFIX = "private/";
/** The holder's report for the operator. */
export const PRIVATE_STATUS_KEY = `${PRIVATE_PREFIX}status.json`;
/** A standby writes it again and again. */
export const STANDBY_KEY = "standby.json";

/** A start puts such an object to probe an S3 store, then deletes it: the prefix, then 12 random letters. */
export const PROBE_PREFIX = "probe/";
const PROBE = /^probe\/[A-Za-z0-9_-]{12}$/;

export function isProbeKey(key: string): boolean {
  return PROBE.test(key);
}

/** The key of the response to a path, or to a query there. */
export function pathKey(path: `/${string}`, selected?: string): string {
  return selected === undefined ? path.slice(1) : `${path.slice(1)}/${selected}`;
}

/** The constant response that takes over when a chain view is no longer valid. */
export function constantKey(key: string): string {
  return `${key}/unavailable`;
}
