/** Statuses, methods, paths and the matrix of If-None-Match. */
import type { Sent } from "../../../../src/judge/exchange.ts";
import { INSTALLATION } from "../../../publish/world.ts";
import {
  asError,
  isAt,
  isTarget,
  onReply,
  onRequest,
  type Planted,
  pathOf,
  queryOf,
  withBody,
  withHeaders,
  withStatus,
} from "./plant.ts";
import { PATHS, SUBJECTS } from "./subjects.ts";

const isGet = ({ method }: Sent) => method === "GET";

const ANSWERED: readonly Planted[] = SUBJECTS.flatMap(({ route, target }) => {
  const at = isTarget(target);
  const of = (name: string, change: Parameters<typeof onReply>[1]): Planted => ({
    name: `${target}: ${name}`,
    families: ["answers"],
    only: [route.name],
    fault: onReply((sent, reply) => at(sent, reply) && isGet(sent), change),
  });
  return [
    of("404", (reply) => asError(reply, 404, "not_found")),
    of("500", (reply) => asError(reply, 500, "internal_error")),
    of("503 without Retry-After", (reply) => asError(reply, 503, "not_published")),
    of("302", (reply) => withHeaders(withStatus(reply, 302), { location: "/elsewhere" })),
    of("206", (reply) => withStatus(reply, 206)),
    of("204", (reply) => withBody(withStatus(reply, 204), "")),
    of("cut off", (reply) => withBody(reply, new TextDecoder().decode(reply.body.subarray(0, reply.body.length / 2)))),
    of("HTML", (reply) => withBody(reply, "<html>busy</html>")),
    of("empty", (reply) => withBody(reply, "")),
  ];
});

const field = (sent: Sent) => sent.headers["if-none-match"];
/** A server takes If-None-Match as if it were another field. */
const MATCHED_WRONG: readonly (readonly [string, (value: string) => string | undefined])[] = [
  ["none is evaluated", () => undefined],
  ["weak forms do not match", (value) => (value.startsWith("W/") ? '"no"' : value)],
  ["lists do not match", (value) => (value.includes(",") ? '"no"' : value)],
  ["only the first of a list matches", (value) => value.split(",")[0]],
  ["only the last of a list matches", (value) => value.split(",").at(-1)],
  ["* does not match", (value) => (value.trim() === "*" ? '"no"' : value)],
  ["anything matches", () => "*"],
];

const NOT_MODIFIED: readonly Planted[] = SUBJECTS.flatMap(({ route, target }) => {
  const at = isTarget(target);
  const planted = (name: string, fault: Planted["fault"]): Planted => ({
    name: `If-None-Match ${target}: ${name}`,
    families: ["not-modified"],
    only: [route.name],
    fault,
  });
  if (!route.conditional) {
    return [
      planted(
        "304 where there is none",
        onReply(
          (sent, reply) => at(sent, reply) && field(sent) !== undefined,
          (reply) => withHeaders(withBody(withStatus(reply, 304), ""), { "content-type": null }),
        ),
      ),
      planted(
        "412",
        onReply(
          (sent, reply) => at(sent, reply) && field(sent) === "*",
          (reply) => asError(reply, 412, "precondition_failed"),
        ),
      ),
    ];
  }
  return MATCHED_WRONG.map(([name, rewritten]) =>
    planted(
      name,
      onRequest((sent) => {
        const value = field(sent);
        if (value === undefined || sent.target !== target) return undefined;
        const { "if-none-match": _, ...headers } = sent.headers;
        const other = rewritten(value);
        return { headers: other === undefined ? headers : { ...headers, "if-none-match": other } };
      }),
    ),
  );
});

const METHODS: readonly Planted[] = [...PATHS].flatMap(([route, path]) => {
  const at = isAt(path);
  const of = (name: string, fault: Planted["fault"]): Planted => ({
    name: `${path}: ${name}`,
    families: ["methods"],
    only: [route.name],
    fault,
  });
  const method =
    (...names: string[]) =>
    (sent: Sent, reply: never) =>
      at(sent, reply) && names.includes(sent.method);
  return [
    of(
      "POST treated as GET",
      onRequest((sent) => (at(sent, undefined as never) && sent.method === "POST" ? { method: "GET" } : undefined)),
    ),
    of(
      "PUT 404",
      onReply(method("PUT") as never, (reply) => asError(reply, 404, "not_found")),
    ),
    of(
      "FOO 400",
      onReply(method("FOO") as never, (reply) => asError(reply, 400, "bad_request")),
    ),
    of(
      "no Allow",
      onReply(method("POST", "PUT", "FOO") as never, (reply) => withHeaders(reply, { allow: null })),
    ),
    of(
      "Allow without HEAD",
      onReply(method("POST") as never, (reply) => withHeaders(reply, { allow: "GET, OPTIONS" })),
    ),
    of(
      "OPTIONS 200",
      onReply(method("OPTIONS") as never, (reply) => withStatus(reply, 200)),
    ),
    of(
      "OPTIONS without methods",
      onReply(method("OPTIONS") as never, (reply) => withHeaders(reply, { "access-control-allow-methods": null })),
    ),
    of(
      "OPTIONS allows other headers",
      onReply(method("OPTIONS") as never, (reply) => withHeaders(reply, { "access-control-allow-headers": "*" })),
    ),
    of(
      "OPTIONS without max age",
      onReply(method("OPTIONS") as never, (reply) => withHeaders(reply, { "access-control-max-age": null })),
    ),
    of(
      "HEAD 405",
      onReply(method("HEAD") as never, (reply) => withStatus(reply, 405)),
    ),
    of(
      "HEAD without Content-Type",
      onReply(method("HEAD") as never, (reply) => withHeaders(reply, { "content-type": null })),
    ),
    of(
      "HEAD with length 0",
      onReply(method("HEAD") as never, (reply) => withHeaders(reply, { "content-length": "0" })),
    ),
    of(
      "HEAD without CORS",
      onReply(method("HEAD") as never, (reply) => withHeaders(reply, { "access-control-allow-origin": null })),
    ),
    of(
      "HEAD with a body",
      onReply(method("HEAD") as never, (reply) => withBody(reply, "{}")),
    ),
    ...(route.conditional
      ? [
          of(
            "HEAD never 304",
            onRequest((sent) => (sent.method === "HEAD" ? { headers: {} } : undefined)),
          ),
        ]
      : []),
    ...(route.queryError === null
      ? []
      : [
          of(
            "HEAD of a bad query 200",
            onRequest((sent) =>
              sent.method === "HEAD" && queryOf(sent) === "cursor=!"
                ? { target: path + (route.queries[0] === "" ? "" : `?${route.queries[0]}`) }
                : undefined,
            ),
          ),
        ]),
  ];
});

const PATH_FAULTS: readonly Planted[] = [...PATHS].flatMap(([route, path]) => {
  const to = (name: string, from: (sent: Sent) => string | undefined): Planted => ({
    name: `${path}: ${name}`,
    families: ["paths"],
    only: [route.name],
    fault: onRequest((sent) => {
      const target = from(sent);
      return target === undefined ? undefined : { target };
    }),
  });
  const good = route.queries[0] === "" || route.queries[0] === undefined ? "" : `?${route.queries[0]}`;
  const ids = route.path.includes("{installationId}");
  const idOf = (sent: Sent) => /^\/v1\/public\/installations\/([^/]*)\//.exec(pathOf(sent))?.[1];
  const idFault = (name: string, change: Parameters<typeof onReply>[1], when: (id: string) => boolean): Planted => ({
    name: `${path}: ${name}`,
    families: ["paths"],
    only: [route.name],
    fault: onReply((sent) => {
      const id = idOf(sent);
      return id !== undefined && id !== INSTALLATION && when(id);
    }, change),
  });
  const isMalformed = (id: string) => !/^(?:[A-Za-z0-9._:-]|%3A|%7a){1,128}$/.test(id);
  return [
    to("slashes at the end dropped", (sent) => (sent.target.startsWith(`${path}/`) ? path + good : undefined)),
    to("case of paths ignored", (sent) => (sent.target.includes("/Public/") ? path + good : undefined)),
    to("slashes merged", (sent) => (sent.target.includes("/public//") ? path + good : undefined)),
    to("suffixes dropped", (sent) => (sent.target.endsWith(".json") ? path + good : undefined)),
    ...(ids
      ? [
          idFault("malformed ids are 404", (reply) => asError(reply, 404, "not_found"), isMalformed),
          idFault("malformed ids are invalid_query", (reply) => asError(reply, 400, "invalid_query"), isMalformed),
          idFault(
            "unknown ids are 404",
            (reply) => asError(reply, 404, "not_found"),
            (id) => !isMalformed(id),
          ),
          to("unknown ids treated as the configured one", (sent) =>
            (idOf(sent)?.length ?? 0) > 20 ? path : undefined,
          ),
          to("ids decoded twice", (sent) => (idOf(sent) === "a%2Fb" ? path : undefined)),
          to("ids cut at 128", (sent) => ((idOf(sent)?.length ?? 0) > 128 ? path : undefined)),
          to("an empty id is the configured one", (sent) => (idOf(sent) === "" ? path : undefined)),
        ]
      : []),
  ];
});

const EVERYWHERE: readonly Planted[] = (
  [
    [
      "unknown paths are HTML",
      (reply) => withBody(withHeaders(reply, { "content-type": "text/html" }), "<h1>404</h1>"),
    ],
    ["unknown paths are 200", (reply) => withStatus(reply, 200)],
    ["unknown paths are 403", (reply) => asError(reply, 403, "access_denied")],
    ["404s say more", (reply) => withBody(reply, '{"error":"not_found","path":"/x"}')],
    ["404s say something else", (reply) => withBody(reply, '{"error":"no_such_key"}')],
    [
      "404s are the bucket's XML",
      (reply) =>
        withBody(withHeaders(reply, { "content-type": "application/xml" }), "<Error><Code>NoSuchKey</Code></Error>"),
    ],
  ] as const satisfies readonly (readonly [string, Parameters<typeof onReply>[1]])[]
).map(([name, change]) => ({
  name,
  families: ["paths"],
  only: ["process"],
  fault: onReply((_, reply) => reply.status === 404, change),
}));

const STORED_KEYS: readonly Planted[] = [
  "/installations",
  "/v2/public/stats/7d",
  "/v4/public/settlements/now",
  "/standby.json",
].map((key) => ({
  name: `the bucket shows through at ${key}`,
  families: ["paths"],
  only: ["process"],
  fault: onReply(isTarget(key), (reply) => withBody(withStatus(reply, 200), "{}")),
}));

export const STATUS_FAULTS: readonly Planted[] = [
  ...ANSWERED,
  ...NOT_MODIFIED,
  ...METHODS,
  ...PATH_FAULTS,
  ...EVERYWHERE,
  ...STORED_KEYS,
];
