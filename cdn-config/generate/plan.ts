/**
 * The part of the table of routes that every front needs: for each public URL that may be cached, a pattern of its raw form
 * and the cache's key. A URL in any other form (percent-encoded parameters, dot segments, odd ids) goes to the shim,
 * and is not cached.
 */
import { COMMON_HEADERS, NO_SNIFF } from "../../src/http/common-headers.ts";
import { PATH_PARAMETERS } from "../../src/http/route.ts";
import { COMPRESSED_TYPES, type NamedRow, ROWS } from "../../src/resources/table.ts";

/** Routes and files, and the media types that a front compresses. */
export { COMPRESSED_TYPES, ROWS } from "../../src/resources/table.ts";

export interface CachedUrl {
  readonly route: NamedRow;
  /** An anchored pattern of path and query, for PCRE and ECMAScript. */
  readonly pattern: string;
  /** The object that serves it; absent if the shim composes the response, and the URL itself is the cache's key. */
  readonly key?: string;
  /** For an object: the one URL for the request to the shim, for every form of the client's URL. */
  readonly url?: string;
}

export const CACHED_URLS: readonly CachedUrl[] = ROWS.flatMap((route) =>
  route.objects.length === 0
    ? [{ route, pattern: `^${pathPattern(route)}${composedQuery(route)}$` }]
    : route.objects.map(({ query, key }) => ({
        route,
        key,
        url: query === "" ? route.path : `${route.path}?${query}`,
        pattern: `^${pathPattern(route)}${queryPattern(route, query)}$`,
      })),
);

/** The headers on every response of a row, 304 included. */
export function alwaysOf(row: NamedRow): Readonly<Record<string, string>> {
  return row.kind === "file" && !row.cors ? NO_SNIFF : COMMON_HEADERS;
}

/** Headers of some rows besides the common ones: names and the one value. No 304 has them. */
export const OWN_HEADERS: Readonly<Record<string, string>> = Object.assign(
  {},
  ...ROWS.map((row) => (row.kind === "file" ? row.headers : {})),
);

/** The same for nginx, whose scripts write them with their parameter. */
export const COMPRESSED_CONTENT_TYPES = COMPRESSED_TYPES.flatMap((type) => [type, `${type}; charset=utf-8`]);

function pathPattern({ path }: NamedRow): string {
  return path
    .replaceAll(".", "\\.")
    .replace(/\{(\w+)\}/, (_, name: string) => PATH_PARAMETERS[name as keyof typeof PATH_PARAMETERS]);
}

/** Empty pieces are not parameters (docs/spec/api.md#query). Parameters may be in any order. */
function queryPattern({ query: rule }: NamedRow, query: string): string {
  if (rule === "ignored") return "(?:\\?.*)?";
  if (query === "") return "(?:\\?&*)?";
  const orders = permutations(query.split("&")).map((pieces) => pieces.join("&+"));
  return `\\?&*(?:${orders.join("|")})&*`;
}

/** The forms that clients write; any other valid form goes to the shim. */
function composedQuery(row: NamedRow): string {
  if (row.kind === "file" || row.query === "ignored") return "(?:\\?.*)?";
  const { parameters = [] } = row;
  const parts = parameters.map(({ name, pattern }) => `${name}=${pattern}`);
  return `(?:\\?(?:${selections(parts).join("|")}))?`;
}

/** Every selection of the parts, in their order. */
function selections([part, ...rest]: readonly string[]): string[] {
  if (part === undefined) return [];
  const others = selections(rest);
  return [part, ...others.map((other) => `${part}&${other}`), ...others];
}

function permutations(pieces: readonly string[]): string[][] {
  if (pieces.length < 2) return [[...pieces]];
  return pieces.flatMap((piece, index) => permutations(pieces.toSpliced(index, 1)).map((rest) => [piece, ...rest]));
}

/**
 * The valid forms of a Host field for fronts: `uri-host [ ":" port ]` of RFC 9110, for PCRE between double quotes.
 * Possessive, because every request is checked.
 */
export const HOST =
  "(?:\\[[0-9A-Za-z.:%_~-]+\\]|(?:[0-9A-Za-z._~!$&'()*+,;=-]++|%[0-9A-Fa-f][0-9A-Fa-f])*+)(?::[0-9]{0,5})?";
