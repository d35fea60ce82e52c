/**
 * A row of the table of routes (`src/resources/table.ts`): a route of the API or a file beside it. Data only; its
 * consequences are computed elsewhere.
 */

/**
 * How a route checks its query:
 * - `ignored`: nothing is read, nothing rejected;
 * - `exact`: the parameters are those of one of the row's objects, in any order, each once; else 400;
 * - `page`: the row's handler reads it.
 */
export type QueryRule = "ignored" | "exact" | "page";

/** Serves a route: `stored` is the object that the query selects; other handlers compose a response. */
export type RouteHandlerName = "stored" | "installation-telemetry" | "observations" | "activity";
/** Serves a file. */
export type FileHandlerName = "file" | "asset" | "badge" | "publication-status";

/** Patterns for a placeholder of a path, in its raw form; for PCRE and ECMAScript alike. */
export const PATH_PARAMETERS = {
  /** `.` and `..` are path segments to every URL parser; an id in percent-encoding is left to the shim. */
  installationId: "(?!\\.{1,2}/)[A-Za-z0-9._:-]{1,128}",
  /** A file that a page loads: a name, the hash of its bytes, its kind. */
  asset: "[A-Za-z0-9_]{1,64}-[0-9a-f]{8,64}\\.[a-z0-9]{1,8}",
} as const;

/** A query in its canonical form ("" for none) and the object that serves it. */
export interface RouteObject {
  readonly query: string;
  readonly key: string;
}

/** A parameter as clients write it, in the order they write it. Every other valid form is left to the shim. */
export interface PageParameter {
  readonly name: string;
  /** Pattern of its raw value, for PCRE and ECMAScript alike. */
  readonly pattern: string;
}

/** The `pattern` of a limit: as many digits as its maximum has. */
export function limitPattern({ maximum }: { readonly maximum: number }): string {
  return `[0-9]{1,${String(maximum).length}}`;
}

/** The fields of every row. */
export interface Row {
  readonly name: string;
  /** The name in `--only` and reports. */
  readonly resource: string;
  /** At most one `{…}` of PATH_PARAMETERS, always a whole segment. */
  readonly path: `/${string}`;
  readonly query: QueryRule;
  /** Every query that one stored object serves unchanged; empty if the shim composes the response. */
  readonly objects: readonly RouteObject[];
  /**
   * Keys of further objects that responses are composed of. `{installationId}` is replaced by an id; a `/` at the end means
   * all keys with this prefix.
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
  /** How long a cache may hide an origin that fails, never past valid-until; 0: not at all. */
  readonly staleIfErrorSeconds: number;
}

/** One of the API's routes: JSON, 503 while it was never published. */
export interface Route extends Row {
  readonly kind: "route";
  readonly handler: RouteHandlerName;
  /** The anchor of its section in docs/spec/api.md. */
  readonly anchor: string;
  /** For the `page` rule. */
  readonly parameters?: readonly PageParameter[];
  /** The code of the 400 to a bad query; null if none is rejected. */
  readonly queryError: string | null;
  /** True if a 200 carries an ETag (telemetry: only with a revision). */
  readonly etag: boolean;
  /** True if 200 and 304 carry the X-Service-Settlement headers. */
  readonly sourceHeaders: boolean;
  /** The 503 while the object was never published. */
  readonly absent: string;
}

/** A file beside the API (docs/spec/people.md#files): any query is ignored, and it is 404 until its first publication. */
export interface FileRow extends Row {
  readonly kind: "file";
  readonly handler: FileHandlerName;
  readonly query: "ignored";
  /** Null if each object has its own. */
  readonly contentType: string | null;
  /** On every 200, besides Cache-Control and Content-Type. */
  readonly headers: Readonly<Record<string, string>>;
  /** True if it carries the CORS headers. */
  readonly cors: boolean;
}

/**
 * How long a cache may keep a response, in seconds (docs/spec/publishing.md#caches).
 *
 * Receipts come every few seconds, so routes that follow them may lag by one second. The API lets a process snapshot be
 * reused for as long. Routes that follow rounds and blocks may lag by five, like an onchain snapshot. Statistics too,
 * although the API allows thirty: the publisher recomputes at most every 30 s, which uses up that allowance. A longer time
 * would save nothing, because with collapsed requests a key costs its origin one request per edge second.
 */
export const FOLLOWS_RECEIPTS = 1;
export const FOLLOWS_BLOCKS = 5;

/** How long a cache may hide an origin that fails: telemetry, modules and observations only. */
export const STALE_IF_ERROR = 60;

/** A published 503 is kept this long at the edge; other errors are not kept. */
export const PUBLISHED_ERROR_EDGE_SECONDS = 1;

/** A page loads nothing from elsewhere, runs no inline script, and cannot be framed. */
export const HTML_HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
} as const;

/** The client revalidates each time; an unchanged file is a 304. */
export const NO_CACHE = "no-cache";
/** For files that are named by the hash of their bytes. */
export const IMMUTABLE = "public, max-age=31536000, immutable";

/** Common fields of routes: one stored object per query, which is served unchanged. A row overrides those that differ. */
export const ROUTE_RULES = {
  kind: "route",
  handler: "stored",
  query: "exact",
  queryError: "invalid_query",
  etag: false,
  conditional: false,
  notModifiedTag: false,
  sourceHeaders: false,
  cacheControl: null,
  absent: "not_published",
  staleIfErrorSeconds: 0,
} as const;

/** Common fields of files (docs/spec/people.md#files) whose objects are put when their bytes change. */
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
