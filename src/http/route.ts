/**
 * The rows of the table of routes (`src/resources/table.ts`): API routes and files. Data only; other modules interpret
 * it.
 */

/**
 * How a route checks its query:
 * - `ignored`: the query is neither read nor rejected;
 * - `listed`: its decoded parameters must be those of one of the row's objects, in any order (`matchObject`); otherwise
 *   400;
 * - `handler`: the row's handler reads the query.
 */
type QueryRule = "ignored" | "listed" | "handler";

/** Serves a route: `stored` serves the object that the query selects; the others compose a response. */
export type RouteHandlerName = "stored" | "installation-telemetry" | "observations" | "activity";
/** Serves a file. */
export type FileHandlerName = "file" | "log" | "publication-status";

/** A tile or bundle of the log: the level, and the index in groups of three digits. */
const LOG_FILE = "tile/(?:entries|[0-6])/(?!x000/)(?:x[0-9]{3}/){0,4}[0-9]{3}";
/** The number of hashes or entries in a partial file: 1 to 255. */
const LOG_WIDTH = "(?:[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])";

/** Patterns of a path's placeholders in raw form, valid in PCRE and ECMAScript. */
export const PATH_PARAMETERS = {
  /** URL parsers treat `.` and `..` as path segments. Percent-encoded ids go to the shim. */
  installationId: "(?!\\.{1,2}/)[A-Za-z0-9._:-]{1,128}",
  /** A file that a page loads: its name, the hash of its bytes, and its extension. */
  asset: "[A-Za-z0-9_]{1,64}-[0-9a-f]{8,64}\\.[a-z0-9]{1,8}",
  /** A full file of a log (docs/spec/log.md#files). */
  logTile: LOG_FILE,
  /** A file that is replaced while the log grows. */
  logEnd: `(?:checkpoint|${LOG_FILE}\\.p/${LOG_WIDTH})`,
} as const;

/**
 * Returns the pattern of a row's path, or of a key, valid in PCRE and ECMAScript. `id` takes the place of an
 * installation id's pattern, where a malformed id must match, too.
 */
export function pathPattern(path: string, id: string = PATH_PARAMETERS.installationId): string {
  return path.replaceAll(".", "\\.").replace(/\{(\w+)\}/, (_, name: string) => {
    return name === "installationId" ? id : PATH_PARAMETERS[name as keyof typeof PATH_PARAMETERS];
  });
}

/** A query in its canonical form ("" for none) and the object that serves it. */
export interface RouteObject {
  readonly query: string;
  readonly key: string;
}

/** A parameter as clients usually write it, in the usual order. Any other valid form goes to the shim. */
interface PageParameter {
  readonly name: string;
  /** Pattern of its raw value, valid in PCRE and ECMAScript. */
  readonly pattern: string;
}

/** The `pattern` of a limit: as many digits as its maximum has. */
export function limitPattern({ maximum }: { readonly maximum: number }): string {
  return `[0-9]{1,${String(maximum).length}}`;
}

/** The fields of every row. */
export interface Row {
  readonly name: string;
  /** The resource's name in reports. */
  readonly resource: string;
  /** At most one `{…}` of PATH_PARAMETERS: a whole segment, or all further segments of a log's file. */
  readonly path: `/${string}`;
  readonly query: QueryRule;
  /** The queries that a stored object serves unchanged; empty if the shim composes the response. */
  readonly objects: readonly RouteObject[];
  /**
   * Keys of further objects that responses are composed of. A placeholder is replaced by an id, or by a log's file; a
   * trailing `/` means all keys with this prefix.
   */
  readonly parts?: readonly string[];
  /** True if If-None-Match is evaluated. */
  readonly conditional: boolean;
  /** True if the 304 carries the tag. */
  readonly notModifiedTag: boolean;
  /** The client's Cache-Control on 200 and 304; null if the API sets none. */
  readonly cacheControl: string | null;
  /** A cache keeps a response for min(edgeSeconds, valid-until − now). */
  readonly edgeSeconds: number;
  /** Seconds a cache may serve a stale response while the origin fails, never past valid-until; 0 for never. */
  readonly staleIfErrorSeconds: number;
}

/** A route of the API: JSON, and 503 until its first publication. */
export interface Route extends Row {
  readonly kind: "route";
  readonly handler: RouteHandlerName;
  /** The anchor of its section in docs/spec/api.md. */
  readonly anchor: string;
  /** The parameters of a query that the handler reads. */
  readonly parameters?: readonly PageParameter[];
  /** The code of the 400 for a bad query; null if no query is rejected. */
  readonly queryError: string | null;
  /** True if a 200 carries an ETag (telemetry: only with a revision). */
  readonly etag: boolean;
  /** True if 200 and 304 carry the X-Service-Settlement headers. */
  readonly sourceHeaders: boolean;
  /** The code of the 503 until its first publication. */
  readonly absent: string;
}

/** A file next to the API (docs/spec/people.md#files). It ignores queries, and is 404 until first published. */
export interface FileRow extends Row {
  readonly kind: "file";
  readonly handler: FileHandlerName;
  readonly query: "ignored";
  /** Null if each object stores its own type. */
  readonly contentType: string | null;
  /** Headers on every 200, besides Cache-Control and Content-Type. */
  readonly headers: Readonly<Record<string, string>>;
  /** True if responses carry the CORS headers. */
  readonly cors: boolean;
}

/**
 * How long a cache may keep a response, in seconds (docs/spec/publishing.md#caches).
 *
 * Receipts arrive every few seconds, so routes that follow them may lag by one second. So long the API lets a process
 * snapshot be reused. Routes that follow rounds and blocks may lag by five, like an onchain snapshot.
 * Statistics too: the API allows them thirty, but the publisher already uses that by recomputing at most every 30 s. A
 * longer time would save nothing, because with collapsed requests a key costs its origin one request per edge second.
 */
export const RECEIPTS_EDGE_SECONDS = 1;
export const BLOCKS_EDGE_SECONDS = 5;

/** Seconds a cache may serve a stale response while the origin fails: telemetry, modules and observations only. */
export const STALE_IF_ERROR = 60;

/** Seconds for which the edge keeps a published 503; other errors are not kept. */
export const PUBLISHED_ERROR_EDGE_SECONDS = 1;

/** A page loads nothing from other sites, runs no inline script, and cannot be framed. */
export const HTML_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
} as const;

/** The client revalidates each time and gets a 304 if the file is unchanged. */
export const NO_CACHE = "no-cache";
/** For files whose names contain the hash of their bytes. */
export const IMMUTABLE = "public, max-age=31536000, immutable";

/** Common fields of routes that serve one stored object per query unchanged. Rows override differing fields. */
export const ROUTE_RULES = {
  kind: "route",
  handler: "stored",
  query: "listed",
  queryError: "invalid_query",
  etag: false,
  conditional: false,
  notModifiedTag: false,
  sourceHeaders: false,
  cacheControl: null,
  absent: "not_published",
  staleIfErrorSeconds: 0,
} as const;

/** Common fields of files (docs/spec/people.md#files). Their objects are put when their bytes change. */
export const FILE_RULES = {
  kind: "file",
  query: "ignored",
  handler: "file",
  conditional: true,
  notModifiedTag: true,
  cacheControl: NO_CACHE,
  edgeSeconds: 60,
  staleIfErrorSeconds: 0,
  headers: {},
  cors: true,
} as const;

/** Common fields of HTML pages. */
export const HTML_RULES = {
  ...FILE_RULES,
  contentType: "text/html; charset=utf-8",
  headers: HTML_HEADERS,
  cors: false,
} as const;
