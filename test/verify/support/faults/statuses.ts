/** Faults in statuses, methods, paths and the matrix of If-None-Match. */
import type { Sent } from "../../../../src/verify/exchange.ts";
import { INSTALLATION } from "../../../publish/world.ts";
import {
  both,
  type Change,
  error,
  headers,
  isAt,
  isTarget,
  type Planted,
  pathOf,
  planter,
  queryOf,
  status,
  text,
} from "./plant.ts";
import { goodQuery, inTurn, PATHS } from "./subjects.ts";

const field = (sent: Sent) => sent.headers["if-none-match"];
const notFound = error(404, "not_found");

const REPLIES: Readonly<Record<string, Change>> = {
  "404": notFound,
  "500": error(500, "internal_error"),
  "503 without Retry-After": error(503, "not_published"),
  "302": both(status(302), headers({ location: "/elsewhere" })),
  "206": status(206),
  "204": both(status(204), text("")),
  "cut off": text((whole) => whole.slice(0, whole.length / 2)),
  HTML: text("<html>busy</html>"),
  empty: text(""),
};

const ANSWERED = inTurn(({ route, target }) => {
  const responses = planter(`${target}: `, "answer", route.name);
  const isGet = (sent: Sent) => sent.target === target && sent.method === "GET";
  return Object.entries(REPLIES).map(([name, change]) => responses.reply(name, isGet, change));
});

/** A server that treats If-None-Match like another header. */
const MATCHED_WRONG: Readonly<Record<string, (value: string) => string | undefined>> = {
  "If-None-Match is never evaluated": () => undefined,
  "weak forms do not match": (value) => (value.startsWith("W/") ? '"no"' : value),
  "lists do not match": (value) => (value.includes(",") ? '"no"' : value),
  "only the first of a list matches": (value) => value.split(",")[0],
  "only the last of a list matches": (value) => value.split(",").at(-1),
  "* does not match": (value) => (value.trim() === "*" ? '"no"' : value),
  "anything matches": () => "*",
};

const NOT_MODIFIED = inTurn(({ route, target }) => {
  const conditions = planter(`If-None-Match ${target}: `, "not-modified", route.name);
  const given = (sent: Sent) => (sent.target === target ? field(sent) : undefined);
  if (!route.conditional) {
    const bare304 = both(status(304), text(""), headers({ "content-type": null }));
    return [
      conditions.reply("304 where there is none", (sent) => given(sent) !== undefined, bare304),
      conditions.reply("412", (sent) => given(sent) === "*", error(412, "precondition_failed")),
    ];
  }
  return Object.entries(MATCHED_WRONG).map(([name, rewritten]) =>
    conditions.request(name, (sent) => {
      const value = given(sent);
      if (value === undefined) return undefined;
      const { "if-none-match": _, ...others } = sent.headers;
      const other = rewritten(value);
      return { headers: other === undefined ? others : { ...others, "if-none-match": other } };
    }),
  );
});

const BY_METHOD: readonly (readonly [name: string, methods: string, change: Change])[] = [
  ["PUT 404", "PUT", notFound],
  ["no Allow", "POST PUT", headers({ allow: null })],
  ["Allow without HEAD", "POST", headers({ allow: "GET, OPTIONS" })],
  ["OPTIONS 200", "OPTIONS", status(200)],
  ["OPTIONS without methods", "OPTIONS", headers({ "access-control-allow-methods": null })],
  ["OPTIONS allows other headers", "OPTIONS", headers({ "access-control-allow-headers": "*" })],
  ["OPTIONS without max age", "OPTIONS", headers({ "access-control-max-age": null })],
  ["HEAD 405", "HEAD", status(405)],
  ["HEAD without Content-Type", "HEAD", headers({ "content-type": null })],
  ["HEAD with length 0", "HEAD", headers({ "content-length": "0" })],
  ["HEAD without CORS", "HEAD", headers({ "access-control-allow-origin": null })],
  ["HEAD with a body", "HEAD", text("{}")],
];

const METHODS: readonly Planted[] = [...PATHS].flatMap(([route, path]) => {
  const methods = planter(`${path}: `, "method", route.name);
  const isHere = isAt(path);
  const postAsGet = (sent: Sent) => (isHere(sent) && sent.method === "POST" ? { method: "GET" } : undefined);
  const badAsGood = (sent: Sent) =>
    sent.method === "HEAD" && queryOf(sent) === "cursor=!" ? { target: path + goodQuery(route) } : undefined;
  const unconditional = ({ method }: Sent) => (method === "HEAD" ? { headers: {} } : undefined);
  return [
    methods.request("POST treated as GET", postAsGet),
    ...BY_METHOD.map(([name, names, change]) =>
      methods.reply(name, (sent) => isHere(sent) && names.split(" ").includes(sent.method), change),
    ),
    ...(route.conditional ? [methods.request("HEAD never 304", unconditional)] : []),
    ...(route.queryError === null ? [] : [methods.request("HEAD of a bad query 200", badAsGood)]),
  ];
});

const idOf = (sent: Sent) => /^\/v1\/public\/installations\/([^/]*)\//.exec(pathOf(sent))?.[1];
const isMalformed = (id: string) => !/^(?:[A-Za-z0-9._:-]|%3A|%7a){1,128}$/.test(id);
const isUnknown = (id: string) => !isMalformed(id);

const PATH_FAULTS: readonly Planted[] = [...PATHS].flatMap(([route, path]) => {
  const paths = planter(`${path}: `, "path", route.name);
  const to = (name: string, target: string, when: (sent: Sent) => boolean) =>
    paths.request(name, (sent) => (when(sent) ? { target } : undefined));
  const ids = (name: string, when: (id: string) => boolean, change: Change) =>
    paths.reply(name, (sent) => ![undefined, INSTALLATION].includes(idOf(sent)) && when(idOf(sent) ?? ""), change);
  const good = path + goodQuery(route);
  const everywhere = [
    to("trailing slashes dropped", good, ({ target }) => target.startsWith(`${path}/`)),
    to("suffixes dropped", good, ({ target }) => target.endsWith(".json")),
  ];
  if (!route.path.includes("{installationId}")) return everywhere;
  return [
    ...everywhere,
    ids("malformed ids are 404", isMalformed, notFound),
    ids("malformed ids are invalid_query", isMalformed, error(400, "invalid_query")),
    ids("unknown ids are 404", isUnknown, notFound),
    to("unknown ids treated as the configured one", path, (sent) => (idOf(sent)?.length ?? 0) > 20),
    to("ids decoded twice", path, (sent) => idOf(sent) === "a%2Fb"),
    to("ids truncated at 128", path, (sent) => (idOf(sent)?.length ?? 0) > 128),
    to("an empty id is the configured one", path, (sent) => idOf(sent) === ""),
  ];
});

const anywhere = planter("", "path", "process");
const UNKNOWN_PATHS: Readonly<Record<string, Change>> = {
  "unknown paths are HTML": both(headers({ "content-type": "text/html" }), text("<h1>404</h1>")),
  "unknown paths are 200": status(200),
  "unknown paths are 403": error(403, "access_denied"),
  "404s have more fields": text('{"error":"not_found","path":"/x"}'),
  "404s have another code": text('{"error":"no_such_key"}'),
  "404s are the bucket's XML": both(
    headers({ "content-type": "application/xml" }),
    text("<Error><Code>NoSuchKey</Code></Error>"),
  ),
};
const STORED_KEYS = ["/installations", "/v2/public/stats/7d", "/v4/public/settlements/now", "/standby.json"];

export const STATUS_FAULTS: readonly Planted[] = [
  ...ANSWERED,
  ...NOT_MODIFIED,
  ...METHODS,
  ...PATH_FAULTS,
  ...Object.entries(UNKNOWN_PATHS).map(([name, change]) =>
    anywhere.reply(name, (_, reply) => reply.status === 404, change),
  ),
  ...STORED_KEYS.map((key) =>
    anywhere.reply(`the bucket shows through at ${key}`, isTarget(key), both(status(200), text("{}"))),
  ),
];
