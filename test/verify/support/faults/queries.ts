/** Query faults of servers and caches: they sort, decode, add defaults, accept too much or reject too much. */
import { plainQueries } from "../../../../src/resources/contracts.ts";
import type { RouteName } from "../../../../src/resources/table.ts";
import { error, isAt, type Planted, planter, queryOf, type When } from "./plant.ts";
import { PATHS } from "./subjects.ts";

/** The query's pieces as the server reads them; undefined keeps the query. */
type Rewrite = (pieces: string[]) => string[] | undefined;
type Rewrites = Readonly<Record<string, Rewrite>>;

const nameOf = (piece: string) => piece.split("=", 1)[0] ?? "";
const isDecodable = (piece: string) => {
  try {
    decodeURIComponent(piece);
    return true;
  } catch {
    return false;
  }
};
const keep =
  (when: (piece: string, at: number, pieces: string[]) => boolean): Rewrite =>
  (pieces) =>
    pieces.filter(when);
const drop = (what: RegExp): Rewrite => keep((piece) => !what.test(piece));
const turn =
  (what: RegExp, into: string | ((piece: string) => string)): Rewrite =>
  (pieces) =>
    pieces.map((piece) => piece.replace(what, into as string));
const none =
  (into: string): Rewrite =>
  (pieces) =>
    pieces.length === 0 ? [into] : pieces;

/** Faults that make a bad query valid. */
function tooLenient(name: string, names: readonly string[], good: string): Rewrites {
  return {
    "unknown parameters are dropped": keep((piece) => names.includes(nameOf(piece))),
    "the first of repeated parameters counts": keep(
      (piece, at, pieces) => pieces.findIndex((one) => nameOf(one) === nameOf(piece)) === at,
    ),
    "the last of repeated parameters counts": keep(
      (piece, at, pieces) => pieces.findLastIndex((one) => nameOf(one) === nameOf(piece)) === at,
    ),
    "undecodable pieces are dropped": keep(isDecodable),
    "names in any case": turn(/^[^=]*/, (text) => text.toLowerCase()),
    "values in any case": turn(/=.*$/, (text) => text.toLowerCase()),
    "values are trimmed": turn(/(?:\+|%20)/g, ""),
    "an empty value has a default": turn(new RegExp(`^${name}=?$`), good),
    "an unknown value has a default": turn(
      new RegExp(`^${name}(?!=(?:now|24h|7d|30d|all|protocol|players|measurement)$)(?:=.*)?$`),
      good,
    ),
  };
}
/** Also for a query whose only parameter is required. */
const tooLenientSingle = (name: string, good: string): Rewrites => ({
  "a missing parameter has a default": (pieces) =>
    pieces.some((piece) => nameOf(piece) === name) ? pieces : [...pieces, good],
  "; separates as well": (pieces) => pieces.flatMap((piece) => piece.split(";").filter((part) => part !== "x")),
});

const QUEUE: Rewrites = {
  "queue=0 means no queue": drop(/^queue=0$/),
  "queue= means no queue": drop(/^queue=?$/),
  "queue=true is queue=1": turn(/^queue=true$/, "queue=1"),
  "queue is a number": turn(/^queue=01$/, "queue=1"),
  "queue is dropped with a bounded range": (pieces) =>
    pieces.includes("range=now") ? pieces : pieces.filter((piece) => piece !== "queue=1"),
  "queue is dropped with range=now": (pieces) => (pieces.join("&") === "queue=1&range=now" ? ["x"] : pieces),
};

const BARE: Rewrites = {
  "unknown parameters are dropped": () => [],
  "empty parameters are dropped": drop(/^[^=]*=?$/),
  "undecodable pieces are dropped": keep(isDecodable),
  "known parameters of others are dropped": drop(/^(?:range|queue|limit|cursor)=/),
};

const EXACT: readonly Planted[] = [...PATHS]
  .filter(([route]) => route.query === "listed")
  .flatMap(([route, path]) => {
    const faults = planter(`${path}: `, "query", route.name);
    const isBad: When = (sent, reply) => isAt(path)(sent) && reply.status === 400;
    const good = plainQueries(route)[0] ?? "";
    const always = [
      refuses(route.name, path, "an empty piece is refused", /^&|&$|&&/),
      faults.reply("a bad query is invalid_cursor", isBad, error(400, "invalid_cursor")),
      faults.reply("a bad query is bad_request", isBad, error(400, "bad_request")),
      faults.reply("a bad query is 404", isBad, error(404, "not_found")),
    ];
    if (good === "") return [...always, ...rewritten(route.name, path, BARE)];
    const names = [...new Set(plainQueries(route).flatMap((query) => query.split("&").map(nameOf)))];
    const withoutQueue: Rewrites = { "queue is dropped": keep((piece) => nameOf(piece) === "range") };
    const swapped = plainQueries(route)
      .slice(0, 4)
      .map((query, at): [string, Rewrite] => {
        const other = plainQueries(route)[(at + 1) % plainQueries(route).length] ?? query;
        return [
          `${query} gets the response of ${other}`,
          (pieces) => (pieces.join("&") === query ? other.split("&") : undefined),
        ];
      });
    return [
      ...always,
      ...rewritten(route.name, path, { ...tooLenient("range", names, good), ...tooLenientSingle("range", good) }),
      ...rewritten(route.name, path, names.includes("queue") ? QUEUE : withoutQueue),
      refuses(route.name, path, "an encoded name is refused", /^%7[12]/i),
      refuses(route.name, path, "an encoded value is refused", /%(?!00|FF)[0-9A-F]{2}$/),
      ...rewritten(route.name, path, Object.fromEntries(swapped), "answer"),
    ];
  });

const ACTIVITY: Rewrites = {
  ...tooLenient("category", ["category", "limit", "cursor"], "category=all"),
  "limits are clamped": turn(/^limit=(?:101|1000|\d{5,})$/, "limit=100"),
  "limit 0 is 1": turn(/^limit=0$/, "limit=1"),
  "limits may have leading zeros": turn(/^limit=01$/, "limit=1"),
  "limits may have signs": turn(/^limit=%2B1$/, "limit=1"),
  "limits may be floats": turn(/^limit=1(?:\.0|e1)$/, "limit=1"),
  "an empty limit is the default": drop(/^limit=?$/),
  "an empty cursor is none": drop(/^cursor=?$/),
  "a long cursor is truncated": drop(/^cursor=a{513}$/),
  "limit is ignored": drop(/^limit=(?!(?:0|101)$)/),
  "the default is 100": none("limit=100"),
};

const OBSERVED: Rewrites = {
  "limit is ignored": drop(/^limit/),
  "a limit above 100 is the default of 50": turn(/^limit=101$/, "limit=50"),
  "limit 0 is the default": drop(/^limit=0$/),
  "an empty limit is the default": drop(/^limit=$/),
  "a negative limit is the default": drop(/^limit=-5$/),
  "limits are read with parseInt": turn(/^limit=(\d+)[^\d].*$/, "limit=$1"),
  "Infinity is 1": turn(/^limit=Infinity$/, "limit=1"),
  "hexadecimal is ignored": drop(/^limit=0x10$/),
  "spaces are not trimmed": drop(/^limit=%205%20$/),
  "the default is 40": none("limit=40"),
  "an empty cursor is none": drop(/^cursor=$/),
  "a bad cursor is none": drop(/^cursor=(?:!|0|-1|%FF|%)$/),
  "a long cursor is none": drop(/^cursor=x{600}$/),
  "names in any case": turn(/^Limit/, "limit"),
};
const REFUSED = ["limit=101", "limit=abc", "limit=0", "limit=2.5", "a=1", "%FF=1"];

const OBSERVATIONS = [...PATHS]
  .filter(([route]) => route.handler === "observations")
  .flatMap(([route, path]) => [
    ...rewritten(route.name, path, OBSERVED),
    ...REFUSED.map((query) => refuses(route.name, path, `${query} is refused`, new RegExp(`^${query}$`))),
    planter(`${path}: `, "query", route.name).reply(
      "a bad cursor is invalid_query",
      (sent, reply) => isAt(path)(sent) && reply.status === 400,
      error(400, "invalid_query"),
    ),
  ]);

const IGNORED = [...PATHS]
  .filter(([route]) => route.query === "ignored")
  .flatMap(([route, path]) => [
    refuses(route.name, path, "a query is refused", /./),
    refuses(route.name, path, "undecodable pieces are rejected", /%FF/),
    refuses(route.name, path, "limit is refused", /^limit/),
  ]);

export const QUERY_FAULTS: readonly Planted[] = [
  ...EXACT,
  ...rewritten("activity", "/v1/public/activity", ACTIVITY),
  ...OBSERVATIONS,
  ...IGNORED,
];

function rewritten(
  route: RouteName,
  path: string,
  rewrites: Rewrites,
  family: "query" | "answer" = "query",
): Planted[] {
  const faults = planter(`${path}: `, family, route);
  return Object.entries(rewrites).map(([name, rewrite]) =>
    faults.request(name, (sent) => {
      if (!isAt(path)(sent)) return undefined;
      const pieces = queryOf(sent).split("&");
      const taken = rewrite(pieces.filter((piece) => piece !== ""));
      return taken && { target: taken.length === 0 ? path : `${path}?${taken.join("&")}` };
    }),
  );
}

function refuses(route: RouteName, path: string, name: string, what: RegExp): Planted {
  return planter(`${path}: `, "query", route).reply(
    name,
    (sent, reply) => isAt(path)(sent) && reply.status === 200 && what.test(queryOf(sent)),
    error(400, "invalid_query"),
  );
}
