/** What a row of the table of routes says (`routes.ts`). */

/**
 * How a route judges its query:
 * - `ignored`: nothing is read, nothing rejected;
 * - `exact`: the parameters are those of one of the row's objects, in any order, each once; else 400 invalid_query;
 * - `observations`, `activity`: a page, `page-query.ts`.
 */
export type QueryRule = "ignored" | "exact" | "observations" | "activity";

/** A query in its canonical form ("" for none) and the object that answers it. */
export interface RouteObject {
  readonly query: string;
  readonly key: string;
}

export interface Route {
  readonly name: string;
  /** As in src/resources/names.ts. */
  readonly resource: string;
  /** Of read-api.md. */
  readonly section: string;
  /** At most one `{installationId}`, always a whole segment. */
  readonly path: string;
  readonly query: QueryRule;
  /** Every query that is answered by one stored object as it is; empty where the shim composes the answer. */
  readonly objects: readonly RouteObject[];
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
