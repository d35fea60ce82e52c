/**
 * A request's target as path and query. Dot segments, `%2e` and backslashes are normalised as WHATWG URL does. Runtimes with
 * a parsed URL have done so already, and every shim must give the same response.
 */

export interface Target {
  readonly path: string;
  /** Without its `?`; "" for none. */
  readonly query: string;
}

/** Nothing in such a path or query is changed by normalisation. */
const PLAIN_PATH = /^\/[A-Za-z0-9_~:/-]*$/;
const PLAIN_QUERY = /^[!$-&(-;=?-~]*$/;

/**
 * `target` is origin-form (`/path?query`), absolute-form (`http://host/path?query`), or `*`. `//host` at its start is path,
 * never a host. `undefined` for an invalid target.
 */
export function parseTarget(target: string): Target | undefined {
  const mark = target.indexOf("?");
  const path = mark === -1 ? target : target.slice(0, mark);
  const query = mark === -1 ? "" : target.slice(mark + 1);
  if (PLAIN_PATH.test(path) && PLAIN_QUERY.test(query)) return { path, query };
  const url = URL.parse(target.startsWith("/") ? `http://origin${target}` : target);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  return { path: url.pathname, query: url.search.slice(1) };
}
