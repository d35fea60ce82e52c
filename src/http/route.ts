/**
 * What a row of the table of routes says (`src/resources/table.ts`): a route of the API or a file beside it. Data only;
 * what follows from it is computed elsewhere.
 */

/**
 * How a route judges its query:
 * - `ignored`: nothing is read, nothing rejected;
 * - `exact`: the parameters are those of one of the row's objects, in any order, each once; else 400;
 * - `page`: the row's handler reads it.
 */
export type QueryRule = "ignored" | "exact" | "page";

/** What the shim answers a route with: the object that the query selects, or what one of its handlers composes. */
export type RouteHandlerName = "stored" | "installation-telemetry" | "observations" | "activity";
/** The same of a file. */
export type FileHandlerName = "file" | "asset" | "badge" | "publication-status";

/** What may stand for a placeholder of a path, in its raw form; for PCRE and ECMAScript alike. */
export const PATH_PARAMETERS = {
  /** `.` and `..` are path segments to every URL parser; an id in percent-encoding is left to the shim. */
  installationId: "(?!\\.{1,2}/)[A-Za-z0-9._:-]{1,128}",
  /** Of a file that a page loads: a name, the hash of its bytes, its kind. */
  asset: "[A-Za-z0-9_]{1,64}-[0-9a-f]{8,64}\\.[a-z0-9]{1,8}",
} as const;

/** A query in its canonical form ("" for none) and the object that answers it. */
export interface RouteObject {
  readonly query: string;
  readonly key: string;
}

/** A parameter as clients write it, in the order they write it; whatever else is valid is left to the shim. */
export interface PageParameter {
  readonly name: string;
  /** Of its raw value, for PCRE and ECMAScript alike. */
  readonly pattern: string;
}

/** What every row says. */
export interface Row {
  readonly name: string;
  /** As `--only` and reports name it. */
  readonly resource: string;
  /** At most one `{…}` of PATH_PARAMETERS, always a whole segment. */
  readonly path: `/${string}`;
  readonly query: QueryRule;
  /** Every query that is answered by one stored object as it is; empty where the shim makes the answer. */
  readonly objects: readonly RouteObject[];
  /**
   * Keys of further objects that answers are composed of. `{installationId}` stands for an id, a `/` at the end for
   * all that begins so.
   */
  readonly parts?: readonly string[];
  /** Whether If-None-Match is evaluated. */
  readonly conditional: boolean;
  /** Whether the 304 carries the tag. */
  readonly notModifiedTag: boolean;
  /** The client's Cache-Control on 200 and 304; null where the API sets none. */
  readonly cacheControl: string | null;
  /** A cache keeps an answer for min(edgeSeconds, valid-until − now). */
  readonly edgeSeconds: number;
  /** How long a cache may hide an origin that fails, never past valid-until; 0: not at all. */
  readonly staleIfErrorSeconds: number;
}

/** One of the API's routes: JSON, 503 while it was never published. */
export interface Route extends Row {
  readonly kind: "route";
  readonly handler: RouteHandlerName;
  /** Of its section in docs/spec/api.md. */
  readonly anchor: string;
  /** Of the `page` rule. */
  readonly parameters?: readonly PageParameter[];
  /** The 400 a bad query is answered with; null where none is rejected. */
  readonly queryError: string | null;
  /** Whether a 200 carries an ETag (telemetry: only with a revision). */
  readonly etag: boolean;
  /** Whether the X-Service-Settlement headers stand on 200 and 304. */
  readonly sourceHeaders: boolean;
  /** The 503 while the object was never published. */
  readonly absent: string;
}

/** A file beside the API (docs/spec/people.md#files): any query is ignored, 404 while it was never published. */
export interface FileRow extends Row {
  readonly kind: "file";
  readonly handler: FileHandlerName;
  readonly query: "ignored";
  /** Null where each object has its own. */
  readonly contentType: string | null;
  /** Of every 200, besides Cache-Control and Content-Type. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether the CORS headers stand on it. */
  readonly cors: boolean;
}
