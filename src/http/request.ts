/** Parses a request's target, query and If-None-Match in the same way on every runtime (docs/spec/api.md#http). */

export interface Target {
  readonly path: string;
  /** Without its `?`; "" for none. */
  readonly query: string;
}

/** Nothing in such a path or query is changed by normalisation. */
const PLAIN_PATH = /^\/[A-Za-z0-9_~:/-]*$/;
const PLAIN_QUERY = /^[!$-&(-;=?-~]*$/;

/**
 * Dot segments, `%2e` and backslashes are normalised as WHATWG URL does, because some runtimes hand over a parsed URL.
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

/** One piece. A half is `undefined` if it is not valid percent-encoded UTF-8. A piece without `=` has the value "". */
export interface QueryPiece {
  readonly name: string | undefined;
  readonly value: string | undefined;
}

/**
 * `query` is everything after the first `?` (docs/spec/api.md#query). It is split at `&`, and empty pieces are dropped. Pieces are
 * decoded as application/x-www-form-urlencoded. URLSearchParams does not help, because it hides pieces that do not decode.
 */
export function parseQuery(query: string): QueryPiece[] {
  return query
    .split("&")
    .filter((piece) => piece !== "")
    .map((piece) => {
      const equals = piece.indexOf("=");
      return equals === -1
        ? { name: decode(piece), value: "" }
        : { name: decode(piece.slice(0, equals)), value: decode(piece.slice(equals + 1)) };
    });
}

/**
 * The parameters by name, if every piece decodes and every name is unique. Otherwise `undefined`: the query is invalid on
 * every route that checks it.
 */
export function uniqueParameters(query: string): ReadonlyMap<string, string> | undefined {
  const parameters = new Map<string, string>();
  for (const { name, value } of parseQuery(query)) {
    if (name === undefined || value === undefined || parameters.has(name)) return undefined;
    parameters.set(name, value);
  }
  return parameters;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

const ANY = /^[ \t]*\*[ \t]*$/;
const MEMBER = /^[ \t]*((?:W\/)?"[\x21\x23-\x7e\x80-\u00ff]*")[ \t]*$/;

/**
 * True if a request's If-None-Match names this strong or weak tag; the comparison is weak (RFC 9110, 13.1.2). The field is a tag, a
 * list of tags, or `*`. In a malformed field the well-formed members count.
 */
export function matchesNone(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag) return true;
  if (ANY.test(ifNoneMatch)) return true;
  const wanted = opaque(etag);
  return members(ifNoneMatch).some((member) => {
    const tag = MEMBER.exec(member)?.[1];
    return tag !== undefined && opaque(tag) === wanted;
  });
}

function opaque(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}

/** Split at the commas outside quotes. */
function members(field: string): string[] {
  const found: string[] = [];
  let quoted = false;
  let start = 0;
  for (let at = 0; at < field.length; at++) {
    const unit = field[at];
    if (unit === '"') quoted = !quoted;
    else if (unit === "," && !quoted) {
      found.push(field.slice(start, at));
      start = at + 1;
    }
  }
  found.push(field.slice(start));
  return found;
}
