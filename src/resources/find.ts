/** Finds the row of a path, the object of a query, and the row of an object's key. */
import { uniqueParameters } from "../http/request.ts";
import type { RouteObject, Row } from "../http/route.ts";
import { type NamedRow, ROWS } from "./table.ts";

export interface RowMatch {
  readonly row: NamedRow;
  /** The decoded placeholder of the path; "" if it cannot be decoded, which is as malformed as an empty one. */
  readonly parameter?: string;
}

const PLACEHOLDER = /\{[a-zA-Z]+\}/;

interface Template extends RowMatch {
  readonly before: string;
  readonly after: string;
}

const byPath = new Map<string, RowMatch>();
const byTemplate: Template[] = [];
const byQuery = new Map<Row, ReadonlyMap<string, RouteObject>>();
const byKey: { readonly row: NamedRow; readonly pattern: RegExp }[] = [];
for (const row of ROWS) {
  const [before = "", after] = row.path.split(PLACEHOLDER);
  if (after === undefined) byPath.set(row.path, { row });
  else byTemplate.push({ row, before, after });
  byQuery.set(row, new Map(row.objects.map((object) => [object.query, object])));
  const keys = [...row.objects.map(({ key }) => key), ...(row.parts ?? [])];
  for (const key of keys) byKey.push({ row, pattern: keyPattern(key) });
}

/** Finds the row of a path that is normalised like a URL's; `undefined` if there is none. */
export function matchPath(path: string): RowMatch | undefined {
  const match = byPath.get(path);
  if (match !== undefined) return match;
  for (const { row, before, after } of byTemplate) {
    if (!path.startsWith(before) || !path.endsWith(after)) continue;
    const segment = path.slice(before.length, path.length - after.length);
    // `/installations/telemetry` has the template's prefix and suffix, but no segment between them.
    if (path.length < before.length + after.length || segment.includes("/")) continue;
    return { row, parameter: decode(segment) };
  }
  return undefined;
}

/** Returns the object for a query on a row with the `ignored` or `exact` rule; `undefined` if the query is invalid. */
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
