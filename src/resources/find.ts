/** Finds the row of a path, the object of a query, and the row of an object's key. */
import { uniqueParameters } from "../http/request.ts";
import { pathPattern, type RouteObject, type Row } from "../http/route.ts";
import { ACTIVITY_PATH, activityKey, CATEGORIES } from "./activity/route.ts";
import { type NamedRow, ROUTES, ROWS } from "./table.ts";

/** The objects of the configured installation, by the URL that serves them. */
export const RESPONSE_KEYS: readonly (readonly [url: string, key: string])[] = [
  ...ROUTES.flatMap(({ path, objects }) =>
    objects.map(({ query, key }) => [query === "" ? path : `${path}?${query}`, key] as const),
  ),
  ...CATEGORIES.map((category) => [`${ACTIVITY_PATH}?category=${category}`, activityKey(category)] as const),
];

export interface RowMatch {
  readonly row: NamedRow;
  /** The decoded id in the path; "" if it cannot be decoded, which is as malformed as an empty one. */
  readonly installationId?: string;
}

const byPath = new Map<string, RowMatch>();
const byTemplate: { readonly row: NamedRow; readonly pattern: RegExp }[] = [];
const byQuery = new Map<Row, ReadonlyMap<string, RouteObject>>();
const byKey: { readonly row: NamedRow; readonly pattern: RegExp }[] = [];
for (const row of ROWS) {
  if (row.path.includes("{")) byTemplate.push({ row, pattern: new RegExp(`^${pathPattern(row.path, "([^/]*)")}$`) });
  else byPath.set(row.path, { row });
  byQuery.set(row, new Map(row.objects.map((object) => [object.query, object])));
  const keys = [...row.objects.map(({ key }) => key), ...(row.parts ?? [])];
  for (const key of keys) byKey.push({ row, pattern: keyPattern(key) });
}

/** Finds the row of a path that is normalised like a URL's; `undefined` if there is none. */
export function matchPath(path: string): RowMatch | undefined {
  const match = byPath.get(path);
  if (match !== undefined) return match;
  for (const { row, pattern } of byTemplate) {
    const found = pattern.exec(path);
    if (found !== null) return found[1] === undefined ? { row } : { row, installationId: decode(found[1]) };
  }
  return undefined;
}

/** Returns the object for a query on a row with the `ignored` or `listed` rule; `undefined` if the query is invalid. */
export function matchObject(row: Row, query: string): RouteObject | undefined {
  if (row.query === "ignored") return row.objects[0];
  const quick = byQuery.get(row)?.get(query);
  if (quick !== undefined) return quick;
  const given = uniqueParameters(query);
  if (given === undefined) return undefined;
  return row.objects.find((object) => {
    const wanted = uniqueParameters(object.query);
    return wanted?.size === given.size && [...wanted].every(([name, value]) => given.get(name) === value);
  });
}

/** Returns the first row that serves an object or composes responses from it; `undefined` if no row does. */
export function matchKey(key: string): NamedRow | undefined {
  return byKey.find(({ pattern }) => pattern.test(key))?.row;
}

function keyPattern(key: string): RegExp {
  return new RegExp(`^${pathPattern(key, "[^/]+")}${key.endsWith("/") ? "" : "$"}`);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return "";
  }
}
