/** The table for VCL: the URLs, in their plain form, of rows with a certain property. */
import type { NamedRow } from "../../../src/resources/table.ts";
import { CACHED_URLS, type CachedUrl, ROWS } from "../plan.ts";

/** Seconds. */
export const STALE = Math.max(...ROWS.map((row) => row.staleIfErrorSeconds));

/** A condition on a request's URL. */
export function urlOf(subject: "req" | "bereq", holds: (row: NamedRow) => boolean): string {
  const paths = ROWS.filter(holds).map(({ path }) => path.replaceAll(".", "\\.").replace(/\{\w+\}/, "[^/?]+"));
  return `${subject}.url ~ "^(?:${paths.join("|")})(?:\\?|$)"`;
}

/** The one URL of an object's response. A composed one has a form, and no query if none is read. */
export function plainUrl({ route, pattern, url }: CachedUrl): { readonly url: string } | { readonly pattern: string } {
  if (url !== undefined) return { url };
  return { pattern: route.query === "ignored" ? `${pattern.slice(0, -BARE.length)}$` : pattern };
}

/** The end of a pattern whose query is ignored. */
export const BARE = "(?:\\?.*)?$";

export const OBJECT_URLS = CACHED_URLS.filter(({ key }) => key !== undefined);
export const COMPOSED_URLS = CACHED_URLS.filter(({ key }) => key === undefined);
