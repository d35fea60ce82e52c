/**
 * The part of the table of routes that every front needs: for each cacheable public URL, a pattern of its raw form and
 * the cache key. URLs in any other form (percent-encoded parameters, dot segments, odd ids) go to the shim and are not
 * cached.
 */
import { COMMON_HEADERS, NO_SNIFF } from "../../src/http/common-headers.ts";
import { pathPattern } from "../../src/http/route.ts";
import { COMPRESSED_TYPES, type NamedRow, ROWS } from "../../src/resources/table.ts";

/** Re-exported for the generators. */
export { COMPRESSED_TYPES, ROWS } from "../../src/resources/table.ts";

export interface CachedUrl {
  readonly route: NamedRow;
  /** Anchored pattern of path and query, valid in PCRE and ECMAScript. */
  readonly pattern: string;
  /** Key of the object that serves it. Absent if the shim composes the response; the URL is then the cache key. */
  readonly key?: string;
  /** For an object: the canonical URL to request from the shim, whatever form the client's URL has. */
  readonly url?: string;
}

export const CACHED_URLS: readonly CachedUrl[] = ROWS.flatMap((route) =>
  route.objects.length === 0
    ? [{ route, pattern: `^${pathPattern(route.path)}${composedQuery(route)}$` }]
    : route.objects.map(({ query, key }) => ({
        route,
        key,
        url: query === "" ? route.path : `${route.path}?${query}`,
        pattern: `^${pathPattern(route.path)}${queryPattern(route, query)}$`,
      })),
);

/** Returns the headers on every response of a row, including 304. */
export function alwaysOf(row: NamedRow): Readonly<Record<string, string>> {
  return row.kind === "file" && !row.cors ? NO_SNIFF : COMMON_HEADERS;
}

/** Headers that only some rows have, by name; each has one value. No 304 has them. */
export const OWN_HEADERS: Readonly<Record<string, string>> = Object.assign(
  {},
  ...ROWS.map((row) => (row.kind === "file" ? row.headers : {})),
);

/** For nginx, whose scripts set the media type with its charset parameter. */
export const COMPRESSED_CONTENT_TYPES = COMPRESSED_TYPES.flatMap((type) => [type, `${type}; charset=utf-8`]);

/** Allows empty pieces, which are not parameters (docs/spec/api.md#query), and any order of parameters. */
function queryPattern({ query: rule }: NamedRow, query: string): string {
  if (rule === "ignored") return "(?:\\?.*)?";
  if (query === "") return "(?:\\?&*)?";
  const orders = permutations(query.split("&")).map((pieces) => pieces.join("&+"));
  return `\\?&*(?:${orders.join("|")})&*`;
}

/** Matches the forms that clients usually write. Any other valid form goes to the shim. */
function composedQuery(row: NamedRow): string {
  if (row.kind === "file" || row.query === "ignored") return "(?:\\?.*)?";
  const { parameters = [] } = row;
  const parts = parameters.map(({ name, pattern }) => `${name}=${pattern}`);
  return `(?:\\?(?:${selections(parts).join("|")}))?`;
}

/** Returns every non-empty subset of the parts, in their original order. */
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
 * Valid Host values (`uri-host [ ":" port ]` of RFC 9110), as PCRE between double quotes. Its quantifiers are
 * possessive for speed, because every request is checked.
 */
export const HOST =
  "(?:\\[[0-9A-Za-z.:%_~-]+\\]|(?:[0-9A-Za-z._~!$&'()*+,;=-]++|%[0-9A-Fa-f][0-9A-Fa-f])*+)(?::[0-9]{0,5})?";
