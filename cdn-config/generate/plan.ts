/**
 * What every front needs of the table of routes: for each public URL that may be cached, a pattern of its raw form and
 * the cache's key. A URL in any other form (percent-encoded parameters, dot segments, odd ids) is left to the shim,
 * uncached: nothing is guessed.
 */
import { PATH_PARAMETERS, type Route } from "../../src/http/route.ts";
import { type NamedRoute, ROUTES } from "../../src/resources/table.ts";

export { ROUTES } from "../../src/resources/table.ts";

export interface CachedUrl {
  readonly route: NamedRoute;
  /** Of path and query, anchored; for PCRE and ECMAScript alike. */
  readonly pattern: string;
  /** The object that answers; absent where the shim composes the answer, and the URL itself is the cache's key. */
  readonly key?: string;
  /** Of an object: the one URL by which the shim is asked for it, however the client wrote it. */
  readonly url?: string;
}

export const CACHED_URLS: readonly CachedUrl[] = ROUTES.flatMap((route) =>
  route.objects.length === 0
    ? [{ route, pattern: `^${pathPattern(route)}${composedQuery(route)}$` }]
    : route.objects.map(({ query, key }) => ({
        route,
        key,
        url: query === "" ? route.path : `${route.path}?${query}`,
        pattern: `^${pathPattern(route)}${queryPattern(route, query)}$`,
      })),
);

/** Names of the routes for which something holds, in the table's order. */
export function routeNames(holds: (route: Route) => boolean): string[] {
  return ROUTES.filter(holds).map(({ name }) => name);
}

function pathPattern({ path }: Route): string {
  return path.replace("{installationId}", PATH_PARAMETERS.installationId);
}

/** Empty pieces are no parameters (design 4, "HTTP"); parameters may stand in any order. */
function queryPattern({ query: rule }: Route, query: string): string {
  if (rule === "ignored") return "(?:\\?.*)?";
  if (query === "") return "(?:\\?&*)?";
  const orders = permutations(query.split("&")).map((pieces) => pieces.join("&+"));
  return `\\?&*(?:${orders.join("|")})&*`;
}

/** The forms that clients write; whatever else is valid goes to the shim. */
function composedQuery({ query: rule, parameters = [] }: Route): string {
  if (rule === "ignored") return "(?:\\?.*)?";
  const parts = parameters.map(({ name, pattern }) => `${name}=${pattern}`);
  return `(?:\\?(?:${selections(parts).join("|")}))?`;
}

/** Every choice of some parts, in their order. */
function selections([part, ...rest]: readonly string[]): string[] {
  if (part === undefined) return [];
  const others = selections(rest);
  return [part, ...others.map((other) => `${part}&${other}`), ...others];
}

function permutations(pieces: readonly string[]): string[][] {
  if (pieces.length < 2) return [[...pieces]];
  return pieces.flatMap((piece, index) => permutations(pieces.toSpliced(index, 1)).map((rest) => [piece, ...rest]));
}
