/** The routes as the rules read them. */
import { plainQueries, routeContract } from "../resources/contracts.ts";
import { type NamedRoute, type ResourceName, ROUTES } from "../resources/table.ts";
import type { Citation } from "./report.ts";

/** A schema's complaint about a place in a body. `crossField` for a rule between fields. */
export interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly crossField: boolean;
}

/** A route's row, with the parts of its contract that are judged. */
export interface RouteContract extends NamedRoute {
  /** Its section of the API. */
  readonly spec: Citation;
  /** Every accepted query in its plain form, of a page the first; `[""]` for the bare path. */
  readonly queries: readonly string[];
  /** Codes of its 503s, except `store_unavailable`. */
  readonly unavailable: readonly string[];
  /** The schema's complaints about a body; empty for a good one. */
  complaints(body: unknown): SchemaIssue[];
}

export const CONTRACT: readonly RouteContract[] = ROUTES.map((route) => ({
  ...route,
  spec: `docs/spec/api.md#${route.anchor}`,
  queries: plainQueries(route),
  unavailable: [route.absent, ...(routeContract(route.name).unavailable ?? [])],
  complaints: (body) => {
    const result = routeContract(route.name).body.schema.safeParse(body);
    const issues = result.error?.issues ?? [];
    return issues.map(({ code, path, message }) => ({ path, message, crossField: code === "custom" }));
  },
}));

/** The first route of a resource: all its routes have the same body. Undefined for a resource without routes. */
export function routeOfResource(resource: ResourceName): RouteContract | undefined {
  const name = ROUTES.find((row) => row.resource === resource)?.name;
  return CONTRACT.find((route) => route.name === name);
}
