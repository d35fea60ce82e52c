/** From a path to its row of the table, and from a query to the row's object. */
import { uniqueParameters } from "./query.ts";
import type { RouteObject } from "./route.ts";
import { type NamedRoute, ROUTES } from "./routes.ts";

export interface RouteMatch {
  readonly route: NamedRoute;
  /** Decoded once; "" where it does not decode, as malformed as an empty one. Absent where the path names none. */
  readonly installationId?: string;
}

const PLACEHOLDER = "{installationId}";

const byPath = new Map<string, RouteMatch>();
const byTemplate: { readonly route: NamedRoute; readonly before: string; readonly after: string }[] = [];
const byQuery = new Map<NamedRoute, ReadonlyMap<string, RouteObject>>();
for (const route of ROUTES as readonly NamedRoute[]) {
  const [before = "", after] = route.path.split(PLACEHOLDER);
  if (after === undefined) byPath.set(route.path, { route });
  else byTemplate.push({ route, before, after });
  byQuery.set(route, new Map(route.objects.map((object) => [object.query, object])));
}

/** `path` as a URL normalises it; `undefined` for an unknown one. */
export function matchPath(path: string): RouteMatch | undefined {
  const match = byPath.get(path);
  if (match !== undefined) return match;
  for (const { route, before, after } of byTemplate) {
    if (!path.startsWith(before) || !path.endsWith(after)) continue;
    const segment = path.slice(before.length, -after.length);
    // `/installations/telemetry` starts and ends like the template and has no segment between.
    if (path.length < before.length + after.length || segment.includes("/")) continue;
    return { route, installationId: decode(segment) };
  }
  return undefined;
}

/** The object that answers a query on a route of the `ignored` or `exact` rule; `undefined` for an invalid query. */
export function matchObject(route: NamedRoute, query: string): RouteObject | undefined {
  if (route.query === "ignored") return route.objects[0];
  const quick = byQuery.get(route)?.get(query);
  if (quick !== undefined) return quick;
  const given = uniqueParameters(query);
  if (given === undefined) return undefined;
  return route.objects.find((object) => {
    const wanted = uniqueParameters(object.query);
    return wanted?.size === given.size && [...wanted].every(([name, value]) => given.get(name) === value);
  });
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}
