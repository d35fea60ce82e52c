/**
 * Raw queries (docs/spec/api.md#query): everything after the first `?`, split at `&`, empty pieces dropped, decoded as
 * application/x-www-form-urlencoded. URLSearchParams does not help: it hides pieces that do not decode.
 */

/** One piece. A half is `undefined` if it is not valid percent-encoded UTF-8. A piece without `=` has the value "". */
export interface QueryPiece {
  readonly name: string | undefined;
  readonly value: string | undefined;
}

/** `query` without its `?`; `?` and `?&` have no piece. */
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
