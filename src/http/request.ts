/** Parses a request's target, query and If-None-Match in the same way on every runtime (docs/spec/api.md#http). */

export interface Target {
  readonly path: string;
  /** Without the `?`; "" if there is none. */
  readonly query: string;
}

/** URL normalisation does not change such a path or query. */
const PLAIN_PATH = /^\/[A-Za-z0-9_~:/-]*$/;
const PLAIN_QUERY = /^[!$-&(-;=?-~]*$/;

/**
 * Normalises dot segments, `%2e` and backslashes as WHATWG URL does, because some runtimes provide only a parsed URL.
 * `target` is in origin-form (`/path?query`), absolute-form (`http://host/path?query`), or `*`. A leading `//host` is
 * part of the path, never a host. Returns `undefined` for an invalid target.
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

/** A piece of a query. `value` is the text after the first `=`, or "". Text that is not UTF-8 is `undefined`. */
export interface QueryPiece {
  readonly name: string | undefined;
  readonly value: string | undefined;
}

/**
 * Splits `query`, the text after the first `?`, at `&`, drops empty pieces, and decodes the rest as
 * application/x-www-form-urlencoded (docs/spec/api.md#query). URLSearchParams would hide pieces that do not decode.
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
 * Returns the parameters by name. Returns `undefined` if a piece does not decode or a name repeats: every route that
 * checks its query then rejects it.
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
 * True if If-None-Match contains this tag, strong or weak; the comparison is weak (RFC 9110, 13.1.2). The field is a
 * list of tags or `*`. Malformed members are skipped.
 */
export function matchesNone(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag) return true;
  if (ANY.test(ifNoneMatch)) return true;
  const wanted = strongTag(etag);
  return members(ifNoneMatch).some((member) => {
    const tag = MEMBER.exec(member)?.[1];
    return tag !== undefined && strongTag(tag) === wanted;
  });
}

function strongTag(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}

/** Splits a list at the commas outside quotes. */
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
