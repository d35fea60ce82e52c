/**
 * How object keys are built, and the keys that no single resource owns (docs/spec/publishing.md#objects). A resource's own
 * keys stand in its folder. A key is the URL path without its first slash, and what a query selects is one more
 * segment. An installation id stands behind `~`, so that none is ever a raw path segment (`..` matches the API's
 * pattern).
 */

/** Positions in one tile of the observations' history, and events in one tile of the activity feed. */
export const TILE_SIZE = 128;

/** Names the installations and their histories; an id that is not in it costs no read. */
export const INSTALLATIONS_KEY = "installations";
/** The lease and what the publisher last said of itself. */
export const STATUS_KEY = "status.json";
/** What the holder of the lease tells the operator alone: no front and no shim serves it. */
/** Objects below it are the operator's alone. */
export const PRIVATE_PREFIX = "private/";
export const PRIVATE_STATUS_KEY = `${PRIVATE_PREFIX}status.json`;
/** Written anew by whoever waits for the lease. */
export const STANDBY_KEY = "standby.json";

/** A start puts such an object to probe an S3 store, then deletes it: the prefix, then 12 random letters. */
export const PROBE_PREFIX = "probe/";
const PROBE = /^probe\/[A-Za-z0-9_-]{12}$/;

export function isProbeKey(key: string): boolean {
  return PROBE.test(key);
}

/** The key of the answer to a path, or to what a query selects there. */
export function pathKey(path: `/${string}`, selected?: string): string {
  return selected === undefined ? path.slice(1) : `${path.slice(1)}/${selected}`;
}

/** The constant answer that takes over when a chain view is no longer valid. */
export function constantKey(key: string): string {
  return `${key}/unavailable`;
}
