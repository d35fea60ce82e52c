/** Faults of servers and caches with queries: they sort, decode, default, accept too much or refuse too much. */
import { asError, isAt, onReply, onRequest, type Planted, queryOf } from "./plant.ts";
import { PATHS } from "./subjects.ts";

type Rewrite = (pieces: string[]) => string[] | undefined;

const nameOf = (piece: string) => piece.split("=", 1)[0] ?? "";
const known =
  (names: readonly string[]): Rewrite =>
  (pieces) =>
    pieces.filter((piece) => names.includes(nameOf(piece)));
const isDecodable = (piece: string) => {
  try {
    decodeURIComponent(piece);
    return true;
  } catch {
    return false;
  }
};

/** Faults that make a bad query a good one. */
function tooLenient(name: string, names: readonly string[], good: string): readonly (readonly [string, Rewrite])[] {
  return [
    ["unknown parameters are dropped", known(names)],
    [
      "the first of a repeated counts",
      (pieces) => pieces.filter((piece, at) => pieces.findIndex((one) => nameOf(one) === nameOf(piece)) === at),
    ],
    [
      "the last of a repeated counts",
      (pieces) => pieces.filter((piece, at) => pieces.findLastIndex((one) => nameOf(one) === nameOf(piece)) === at),
    ],
    ["what does not decode is dropped", (pieces) => pieces.filter(isDecodable)],
    ["names in any case", (pieces) => pieces.map((piece) => piece.replace(/^[^=]*/, (text) => text.toLowerCase()))],
    ["values in any case", (pieces) => pieces.map((piece) => piece.replace(/=.*$/, (text) => text.toLowerCase()))],
    ["values are trimmed", (pieces) => pieces.map((piece) => piece.replace(/(?:\+|%20)/g, ""))],
    [
      "a missing parameter has a default",
      (pieces) => (pieces.some((piece) => nameOf(piece) === name) ? pieces : [...pieces, good]),
    ],
    [
      "an empty value has a default",
      (pieces) => pieces.map((piece) => (piece === name || piece === `${name}=` ? good : piece)),
    ],
    [
      "an unknown value has a default",
      (pieces) =>
        pieces.map((piece) =>
          nameOf(piece) === name && !/=(?:now|24h|7d|30d|all|protocol|players|measurement)$/.test(piece) ? good : piece,
        ),
    ],
    ["; separates as well", (pieces) => pieces.flatMap((piece) => piece.split(";").filter((part) => part !== "x"))],
  ];
}

const QUEUE: readonly (readonly [string, Rewrite])[] = [
  ["queue=0 is no queue", (pieces) => pieces.filter((piece) => piece !== "queue=0")],
  ["queue= is no queue", (pieces) => pieces.filter((piece) => piece !== "queue=" && piece !== "queue")],
  ["queue=true is queue=1", (pieces) => pieces.map((piece) => (piece === "queue=true" ? "queue=1" : piece))],
  ["queue is a number", (pieces) => pieces.map((piece) => (piece === "queue=01" ? "queue=1" : piece))],
  [
    "queue is dropped with a bounded range",
    (pieces) => (pieces.includes("range=now") ? pieces : pieces.filter((piece) => piece !== "queue=1")),
  ],
  ["queue is dropped with range=now", (pieces) => (pieces.join("&") === "queue=1&range=now" ? ["x"] : pieces)],
];

const EXACT: readonly Planted[] = [...PATHS]
  .filter(([route]) => route.query === "exact")
  .flatMap(([route, path]) => {
    const good = route.queries[0] ?? "";
    const names = [...new Set(route.queries.flatMap((query) => query.split("&").map(nameOf)))];
    const bare = good === "";
    const lenient: readonly (readonly [string, Rewrite])[] = bare
      ? [
          ["unknown parameters are dropped", () => []],
          ["empty parameters are dropped", (pieces) => pieces.filter((piece) => !/^[^=]*=?$/.test(piece))],
          ["what does not decode is dropped", (pieces) => pieces.filter(isDecodable)],
          [
            "known parameters of others are dropped",
            (pieces) => pieces.filter((piece) => !/^(?:range|queue|limit|cursor)=/.test(piece)),
          ],
        ]
      : [
          ...tooLenient("range", names, good),
          ...(names.includes("queue") ? QUEUE : [["queue is dropped", known(["range"])] as const]),
        ];
    return [
      ...lenient.map(([name, rewrite]) => planted(route.name, path, { name, rewrite })),
      refuses(route.name, path, { name: "an empty piece is refused", when: (query) => /^&|&$|&&/.test(query) }),
      ...(bare
        ? []
        : [
            refuses(route.name, path, { name: "an encoded name is refused", when: (query) => /^%7[12]/i.test(query) }),
            refuses(route.name, path, {
              name: "an encoded value is refused",
              when: (query) => /%[0-9A-F]{2}$/.test(query) && !/%(?:00|FF)$/.test(query),
            }),
            ...route.queries.slice(0, 4).flatMap((query, at) => {
              const other = route.queries[(at + 1) % route.queries.length] ?? query;
              return planted(route.name, path, {
                name: `${query} gets the response of ${other}`,
                rewrite: (pieces) => (pieces.join("&") === query ? other.split("&") : undefined),
                families: ["answers"],
              });
            }),
          ]),
      ...["invalid_cursor", "bad_request"].map((code) => ({
        name: `${path}: a bad query is ${code}`,
        families: ["queries"] as const,
        only: [route.name],
        fault: onReply(
          (sent, reply) => isAt(path)(sent, reply) && reply.status === 400,
          (reply) => asError(reply, 400, code),
        ),
      })),
      {
        name: `${path}: a bad query is 404`,
        families: ["queries"] as const,
        only: [route.name],
        fault: onReply(
          (sent, reply) => isAt(path)(sent, reply) && reply.status === 400,
          (reply) => asError(reply, 404, "not_found"),
        ),
      },
    ];
  });

const ACTIVITY_PATH = "/v1/public/activity";
const ACTIVITY: readonly Planted[] = [
  ...tooLenient("category", ["category", "limit", "cursor"], "category=all").filter(
    ([name]) => name !== "a missing parameter has a default" && name !== "; separates as well",
  ),
  [
    "limits are clamped",
    (pieces: string[]) => pieces.map((piece) => (/^limit=(?:101|1000|\d{5,})$/.test(piece) ? "limit=100" : piece)),
  ],
  ["limit 0 is 1", (pieces: string[]) => pieces.map((piece) => (piece === "limit=0" ? "limit=1" : piece))],
  [
    "limits may have zeros in front",
    (pieces: string[]) => pieces.map((piece) => (piece === "limit=01" ? "limit=1" : piece)),
  ],
  ["limits may have signs", (pieces: string[]) => pieces.map((piece) => (piece === "limit=%2B1" ? "limit=1" : piece))],
  [
    "limits may be floats",
    (pieces: string[]) => pieces.map((piece) => (/^limit=1(?:\.0|e1)$/.test(piece) ? "limit=1" : piece)),
  ],
  [
    "an empty limit is the default",
    (pieces: string[]) => pieces.filter((piece) => piece !== "limit=" && piece !== "limit"),
  ],
  [
    "an empty cursor is none",
    (pieces: string[]) => pieces.filter((piece) => piece !== "cursor=" && piece !== "cursor"),
  ],
  ["a long cursor is cut", (pieces: string[]) => pieces.filter((piece) => !/^cursor=a{513}$/.test(piece))],
  [
    "limit is not read",
    (pieces: string[]) => pieces.filter((piece) => !piece.startsWith("limit=") || /^limit=(?:0|101)$/.test(piece)),
  ],
  ["the default is 100", (pieces: string[]) => (pieces.length === 0 ? ["limit=100"] : pieces)],
].map(([name, rewrite]) => planted("activity", ACTIVITY_PATH, { name: name as string, rewrite: rewrite as Rewrite }));

const OBSERVATIONS = [...PATHS]
  .filter(([route]) => route.handler === "observations")
  .flatMap(([route, path]) => [
    ...(
      [
        ["limit is not read", (pieces) => pieces.filter((piece) => !piece.startsWith("limit"))],
        [
          "a limit above 100 is the default of 50",
          (pieces) => pieces.map((piece) => (piece === "limit=101" ? "limit=50" : piece)),
        ],
        ["limit 0 is the default", (pieces) => pieces.filter((piece) => piece !== "limit=0")],
        ["an empty limit is the default", (pieces) => pieces.filter((piece) => piece !== "limit=")],
        ["a negative limit is the default", (pieces) => pieces.filter((piece) => piece !== "limit=-5")],
        [
          "limits are read with parseInt",
          (pieces) => pieces.map((piece) => piece.replace(/^limit=(\d+)[^\d].*$/, "limit=$1")),
        ],
        ["Infinity is 1", (pieces) => pieces.map((piece) => (piece === "limit=Infinity" ? "limit=1" : piece))],
        ["hexadecimal is not read", (pieces) => pieces.filter((piece) => piece !== "limit=0x10")],
        ["blanks are not trimmed", (pieces) => pieces.filter((piece) => piece !== "limit=%205%20")],
        ["the default is 40", (pieces) => (pieces.length === 0 ? ["limit=40"] : undefined)],
        ["an empty cursor is none", (pieces) => pieces.filter((piece) => piece !== "cursor=")],
        ["a bad cursor is none", (pieces) => pieces.filter((piece) => !/^cursor=(?:!|0|-1|%FF|%)$/.test(piece))],
        ["padding is accepted", (pieces) => pieces.map((piece) => piece.replace("%3D%3D%3D", ""))],
        ["a long cursor is none", (pieces) => pieces.filter((piece) => !/^cursor=x{600}$/.test(piece))],
        ["names in any case", (pieces) => pieces.map((piece) => piece.replace(/^Limit/, "limit"))],
      ] as readonly (readonly [string, Rewrite])[]
    ).map(([name, rewrite]) => planted(route.name, path, { name, rewrite })),
    ...(["limit=101", "limit=abc", "limit=0", "limit=2.5", "a=1", "%FF=1"] as const).map((query) =>
      refuses(route.name, path, { name: `${query} is refused`, when: (given) => given === query }),
    ),
    {
      name: `${path}: a bad cursor is invalid_query`,
      families: ["queries"] as const,
      only: [route.name],
      fault: onReply(
        (sent, reply) => isAt(path)(sent, reply) && reply.status === 400,
        (reply) => asError(reply, 400, "invalid_query"),
      ),
    },
  ]);

const IGNORED = [...PATHS]
  .filter(([route]) => route.query === "ignored")
  .flatMap(([route, path]) => [
    refuses(route.name, path, { name: "a query is refused", when: (query) => query !== "" }),
    refuses(route.name, path, { name: "what does not decode is refused", when: (query) => query.includes("%FF") }),
    refuses(route.name, path, { name: "limit is refused", when: (query) => query.startsWith("limit") }),
  ]);

export const QUERY_FAULTS: readonly Planted[] = [...EXACT, ...ACTIVITY, ...OBSERVATIONS, ...IGNORED];

type Only = NonNullable<Planted["only"]>[number];

interface Rewritten {
  readonly name: string;
  readonly rewrite: Rewrite;
  readonly families?: Planted["families"];
}

function planted(only: Only, path: string, { name, rewrite, families = ["queries"] }: Rewritten): Planted {
  return {
    name: `${path}: ${name}`,
    families,
    only: [only],
    fault: onRequest((sent) => {
      if (!isAt(path)(sent, undefined as never)) return undefined;
      const rewritten = rewrite(
        queryOf(sent)
          .split("&")
          .filter((piece) => piece !== ""),
      );
      if (rewritten === undefined) return undefined;
      return { target: rewritten.length === 0 ? path : `${path}?${rewritten.join("&")}` };
    }),
  };
}

function refuses(
  only: Only,
  path: string,
  { name, when }: { name: string; when: (query: string) => boolean },
): Planted {
  return {
    name: `${path}: ${name}`,
    families: ["queries"],
    only: [only],
    fault: onReply(
      (sent, reply) => isAt(path)(sent, reply) && reply.status === 200 && when(queryOf(sent)),
      (reply) => asError(reply, 400, "invalid_query"),
    ),
  };
}
