/** The routes in the form that the rules need. */
import { plainQueries, routeContract } from "../resources/contracts.ts";
import { type NamedRoute, type ResourceName, ROUTES } from "../resources/table.ts";
import type { Citation } from "./report.ts";

/** A schema issue at a path of a body. `crossField` marks a rule between fields. */
interface SchemaIssue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly crossField: boolean;
}

/** A route's row with the parts of its contract that are judged. */
export interface RouteContract extends NamedRoute {
  /** The section of the API that describes it. */
  readonly spec: Citation;
  /** Every accepted query in its canonical form; for paged routes, of the first page; `[""]` for none. */
  readonly queries: readonly string[];
  /** Codes of its 503s, except `store_unavailable`. */
  readonly unavailable: readonly string[];
  /** Returns the schema issues of a body; empty if it is valid. */
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

/** Returns the first route of a resource, because all its routes have the same body; undefined if it has none. */
export function routeOfResource(resource: ResourceName): RouteContract | undefined {
  const name = ROUTES.find((row) => row.resource === resource)?.name;
  return CONTRACT.find((route) => route.name === name);
}
