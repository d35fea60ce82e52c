/** What a row of the table of routes says (`src/resources/table.ts`). Data only; what follows from it is computed elsewhere. */

/**
 * How a route judges its query:
 * - `ignored`: nothing is read, nothing rejected;
 * - `exact`: the parameters are those of one of the row's objects, in any order, each once; else 400;
 * - `page`: the row's handler reads it.
 */
export type QueryRule = "ignored" | "exact" | "page";

/** What the shim answers with: the object that the query selects, or what one of its handlers composes. */
export type HandlerName = "stored" | "installation-telemetry" | "observations" | "activity";

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

export interface Route {
  readonly name: string;
  /** As `--only` and reports name it. */
  readonly resource: string;
  /** Of docs/spec/api.md. */
  readonly section: string;
  /** At most one `{installationId}`, always a whole segment. */
  readonly path: `/${string}`;
  readonly handler: HandlerName;
  readonly query: QueryRule;
  /** Every query that is answered by one stored object as it is; empty where the shim composes the answer. */
  readonly objects: readonly RouteObject[];
  /** Of the `page` rule. */
  readonly parameters?: readonly PageParameter[];
  /**
   * Keys of further objects that answers are composed of. `{installationId}` stands for an id, a `/` at the end for
   * all that begins so.
   */
  readonly parts?: readonly string[];
  /** The 400 a bad query is answered with; null where none is rejected. */
  readonly queryError: string | null;
  /** Whether a 200 carries an ETag (telemetry: only with a revision). */
  readonly etag: boolean;
  /** Whether If-None-Match is evaluated. */
  readonly conditional: boolean;
  /** Whether the 304 carries the tag. */
  readonly notModifiedTag: boolean;
  /** Whether the X-Service-Settlement headers stand on 200 and 304. */
  readonly sourceHeaders: boolean;
  /** The client's Cache-Control on 200 and 304; null where the API sets none. */
  readonly cacheControl: string | null;
  /** The 503 while the object was never published. */
  readonly absent: string;
  /** A cache keeps an answer for min(edgeSeconds, valid-until − now). */
  readonly edgeSeconds: number;
  /** How long a cache may hide an origin that fails, never past valid-until; 0: not at all. */
  readonly staleIfErrorSeconds: number;
}
