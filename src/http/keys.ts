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
/** Prefix of objects that only the operator may read. No front and no shim serves them. */
export const PRIVATE_PREFIX = "private/";
/** The publisher's head (docs/spec/publishing.md#head). */
export const HEAD_KEY = `${PRIVATE_PREFIX}head.json`;
/** A public log is served and signed, a private one is stored for recovery (docs/spec/publishing.md#log). */
export type LogForm = "public" | "private";
const LOG_PREFIXES: Readonly<Record<LogForm, string>> = { public: "log/", private: `${PRIVATE_PREFIX}log/` };

/** At start, the publisher puts and deletes such an object to probe an S3 store: the prefix, then 12 characters. */
export const PROBE_PREFIX = "probe/";
const PROBE = /^probe\/[A-Za-z0-9_-]{12}$/;

export function isProbeKey(key: string): boolean {
  return PROBE.test(key);
}

/** True for the objects of a log, public or private. */
export function isLogKey(key: string): boolean {
  return key.startsWith(LOG_PREFIXES.public) || key.startsWith(LOG_PREFIXES.private);
}

/** Returns the prefix of a log's files. */
export function logPrefix(form: LogForm): string {
  return LOG_PREFIXES[form];
}

/** Returns the key of the object that commits everything published from the log. */
export function checkpointKey(form: LogForm): string {
  return `${logPrefix(form)}checkpoint`;
}

/** Returns the key of the response to a path, or to a query on that path. */
export function pathKey(path: `/${string}`, selected?: string): string {
  return selected === undefined ? path.slice(1) : `${path.slice(1)}/${selected}`;
}

/** Returns the key of the constant response that replaces a chain view after its validity. */
export function constantKey(key: string): string {
  return `${key}/unavailable`;
}
