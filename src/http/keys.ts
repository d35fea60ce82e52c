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
/** Prefix of the logs of facts that a key signs, by number (docs/spec/log.md#files). */
export const PUBLIC_LOGS = "log/";
/** Prefix of the logs that are stored for recovery only (docs/spec/publishing.md#log). */
export const PRIVATE_LOGS = `${PRIVATE_PREFIX}log/`;
export const LOG_ROOTS = [PUBLIC_LOGS, PRIVATE_LOGS] as const;
/** Where a log is stored. */
export type LogRoot = (typeof LOG_ROOTS)[number];
/** Each standby rewrites it periodically. */
export const STANDBY_KEY = "standby.json";

/** At start, the publisher puts and deletes such an object to probe an S3 store: the prefix, then 12 characters. */
export const PROBE_PREFIX = "probe/";
const PROBE = /^probe\/[A-Za-z0-9_-]{12}$/;

export function isProbeKey(key: string): boolean {
  return PROBE.test(key);
}

/** True for the objects of a log, public or private. */
export function isLogKey(key: string): boolean {
  return key.startsWith(PUBLIC_LOGS) || key.startsWith(PRIVATE_LOGS);
}

/** Returns the prefix of a log's objects. */
export function logPrefix(root: LogRoot, log: number): string {
  return `${root}${log}/`;
}

/** Returns the key of the object that commits everything published from a log. */
export function checkpointKey(root: LogRoot, log: number): string {
  return `${logPrefix(root, log)}checkpoint`;
}

/** Parses a key of `checkpointKey`; returns `undefined` for any other key. */
export function parseCheckpointKey(key: string): { readonly root: LogRoot; readonly log: number } | undefined {
  const [, isPrivate, log] = /^(private\/)?log\/([1-9]\d{0,8})\/checkpoint$/.exec(key) ?? [];
  return log === undefined
    ? undefined
    : { root: isPrivate === undefined ? PUBLIC_LOGS : PRIVATE_LOGS, log: Number(log) };
}

/** Returns the key of the response to a path, or to a query on that path. */
export function pathKey(path: `/${string}`, selected?: string): string {
  return selected === undefined ? path.slice(1) : `${path.slice(1)}/${selected}`;
}

/** Returns the key of the constant response that replaces a chain view after its validity. */
export function constantKey(key: string): string {
  return `${key}/unavailable`;
}
