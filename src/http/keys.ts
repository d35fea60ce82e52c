/**
 * Object keys: their form, and those that belong to no single resource (docs/spec/publishing.md#objects). Each
 * resource's folder has its own keys.
 *
 * A key is the URL path without its first slash, plus one segment for the query. An installation id is prefixed with
 * `~`, so that it is never a raw path segment: the API's pattern allows `..`.
 */

/** Positions in one tile of observations, and events in one tile of activity. */
export const TILE_SIZE = 128;

/** The index of installations. An id that it does not contain costs no store read. */
export const INSTALLATIONS_KEY = "installations";
/** The lease, and the publisher's latest status report. */
export const STATUS_KEY = "status.json";
/** Prefix of objects that only the operator may read. No front and no shim serves them. */
export const PRIVATE_PREFIX = "private/";
/** The lease holder's report for the operator. */
export const PRIVATE_STATUS_KEY = `${PRIVATE_PREFIX}status.json`;
/** Prefix of the logs of facts, by number (docs/spec/publishing.md#log). */
export const LOGS_PREFIX = `${PRIVATE_PREFIX}log/`;
/** Each standby rewrites it periodically. */
export const STANDBY_KEY = "standby.json";

/** At start, the publisher puts and deletes such an object to probe an S3 store: the prefix, then 12 characters. */
export const PROBE_PREFIX = "probe/";
const PROBE = /^probe\/[A-Za-z0-9_-]{12}$/;

export function isProbeKey(key: string): boolean {
  return PROBE.test(key);
}

/** Returns the prefix of a log's objects. */
export function logPrefix(log: number): string {
  return `${LOGS_PREFIX}${log}/`;
}

/** Returns the key of the object that commits everything published from a log. */
export function checkpointKey(log: number): string {
  return `${logPrefix(log)}checkpoint`;
}

/** Parses a key of `checkpointKey`; returns `undefined` for any other key. */
export function parseCheckpointKey(key: string): number | undefined {
  const [, log] = /^private\/log\/([1-9]\d{0,8})\/checkpoint$/.exec(key) ?? [];
  return log === undefined ? undefined : Number(log);
}

/** Returns the key of the response to a path, or to a query on that path. */
export function pathKey(path: `/${string}`, selected?: string): string {
  return selected === undefined ? path.slice(1) : `${path.slice(1)}/${selected}`;
}

/** Returns the key of the constant response that replaces a chain view after its validity. */
export function constantKey(key: string): string {
  return `${key}/unavailable`;
}
