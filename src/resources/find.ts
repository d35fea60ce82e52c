/** From a path to its row of the table, from a query to the row's object, and from an object's key back to the row. */
import { uniqueParameters } from "../http/query.ts";
import type { Route, RouteObject } from "../http/route.ts";
import { type NamedRoute, ROUTES } from "./table.ts";

export interface RouteMatch {
  readonly route: NamedRoute;
  /** Decoded once; "" where it does not decode, as malformed as an empty one. Absent where the path names none. */
  readonly installationId?: string;
}

const PLACEHOLDER = "{installationId}";

const byPath = new Map<string, RouteMatch>();
const byTemplate: { readonly route: NamedRoute; readonly before: string; readonly after: string }[] = [];
const byQuery = new Map<Route, ReadonlyMap<string, RouteObject>>();
const byKey: { readonly route: NamedRoute; readonly pattern: RegExp }[] = [];
for (const route of ROUTES) {
  const [before = "", after] = route.path.split(PLACEHOLDER);
  if (after === undefined) byPath.set(route.path, { route });
  else byTemplate.push({ route, before, after });
  byQuery.set(route, new Map(route.objects.map((object) => [object.query, object])));
  const keys = [...route.objects.map(({ key }) => key), ...(route.parts ?? [])];
  for (const key of keys) byKey.push({ route, pattern: keyPattern(key) });
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
export function matchObject(route: Route, query: string): RouteObject | undefined {
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

/** The row whose answers an object is (part of); the first where there are several; `undefined` for no reader's object. */
export function matchKey(key: string): NamedRoute | undefined {
  return byKey.find(({ pattern }) => pattern.test(key))?.route;
}

function keyPattern(key: string): RegExp {
  const escaped = key.split(PLACEHOLDER).map((text) => text.replaceAll(".", "\\."));
  return new RegExp(`^${escaped.join("[^/]+")}${key.endsWith("/") ? "" : "$"}`);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}
