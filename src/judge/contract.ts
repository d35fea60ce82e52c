/** The judged parts of a route's row and contract. */
import { plainQueries, routeContract } from "../resources/contracts.ts";
import { type NamedRoute, type ResourceName, ROUTES, type RouteName } from "../resources/table.ts";
import type { Citation } from "./report.ts";

/** A complaint of a schema: where, and in words. `crossField` for a rule between fields. */
export interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly crossField: boolean;
}

export interface RouteContract {
  readonly name: RouteName;
  readonly row: NamedRoute;
  /** Its section of the API. */
  readonly spec: Citation;
  /** With `{installationId}` where it has one. */
  readonly path: string;
  readonly query: "ignored" | "exact" | "observations" | "activity";
  /** Every accepted query in its plain form, a page's by its first; `[""]` if there is only the bare path. */
  readonly queries: readonly string[];
  /** The word of the 400 to a bad query; null where none is rejected. */
  readonly queryError: string | null;
  /** Codes of its 503s, besides a store that does not respond. */
  readonly unavailable: readonly string[];
  readonly hasTag: boolean;
  readonly conditional: boolean;
  readonly notModifiedTag: boolean;
  readonly sourceHeaders: boolean;
  readonly cacheControl: string | null;
  /** Seconds that a cache may serve what it has kept; the second while an origin fails. */
  readonly edgeSeconds: number;
  readonly staleIfErrorSeconds: number;
  /** The schema's complaints about a body; empty for a good one. */
  complaints(body: unknown): SchemaIssue[];
}

/** `activity` and `observations`: the pages, each judged by its own rules. */
function queryOf({ name, query, handler }: NamedRoute): RouteContract["query"] {
  if (query !== "page") return query;
  if (handler === "observations" || handler === "activity") return handler;
  throw new Error(`no query rules are known of ${name}`);
}

export const CONTRACT: readonly RouteContract[] = ROUTES.map((route) => ({
  name: route.name,
  row: route,
  spec: `docs/spec/api.md#${route.anchor}`,
  path: route.path,
  query: queryOf(route),
  queries: plainQueries(route),
  queryError: route.queryError,
  unavailable: [route.absent, ...(routeContract(route.name).unavailable ?? [])],
  hasTag: route.etag,
  conditional: route.conditional,
  notModifiedTag: route.notModifiedTag,
  sourceHeaders: route.sourceHeaders,
  cacheControl: route.cacheControl,
  edgeSeconds: route.edgeSeconds,
  staleIfErrorSeconds: route.staleIfErrorSeconds,
  complaints: (body) => {
    const result = routeContract(route.name).body.schema.safeParse(body);
    const issues = result.error?.issues ?? [];
    return issues.map(({ code, path, message }) => ({ path, message, crossField: code === "custom" }));
  },
}));

/** A route of a resource, all of whose routes share their body; undefined for a resource without routes. */
export function routeOfResource(resource: ResourceName): RouteContract | undefined {
  const name = ROUTES.find((row) => row.resource === resource)?.name;
  return CONTRACT.find((route) => route.name === name);
}
