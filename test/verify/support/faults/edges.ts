/** Faults of caches, compressors and storages between origin and reader. */
import { gunzipSync, gzipSync } from "node:zlib";
import { header, type Reply, type Sent, type Transport } from "../../../../src/judge/exchange.ts";
import {
  asError,
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

const wantsGzip = ({ headers }: Sent) => /gzip/.test(headers["accept-encoding"] ?? "");

/** As a good compressor writes it; each fault takes one thing of it away. */
function compressed(reply: Reply): Reply {
  const wire = gzipSync(reply.body);
  const tag = header(reply, "etag");
  const headers = {
    "content-encoding": "gzip",
    vary: "Accept-Encoding",
    "content-length": String(wire.length),
    etag: tag === undefined ? null : `W/${tag}`,
  };
  return { ...withHeaders(reply, headers), body: gunzipSync(wire), wireLength: wire.length };
}

/** A front that compresses as it should. */
export const compressing: Planted["fault"] = onReply(
  (sent, reply) => reply.status === 200 && wantsGzip(sent),
  compressed,
);

const PER_SUBJECT: readonly Planted[] = SUBJECTS.flatMap(({ route, target }) => {
  const at = isTarget(target);
  const of = (name: string, fault: Planted["fault"]): Planted => ({
    name: `${target}: ${name}`,
    families: ["edge"],
    only: [route.name],
    fault,
  });
  const zipped = (name: string, change: (reply: Reply) => Reply) =>
    of(
      name,
      onReply(
        (sent, reply) => at(sent, reply) && reply.status === 200 && wantsGzip(sent),
        (reply) => change(compressed(reply)),
      ),
    );
  const sending = (name: string) => (sent: Sent, reply: Reply) => at(sent, reply) && sent.headers[name] !== undefined;
  return [
    ...(route.etag
      ? [
          zipped("compressed under the strong tag", (reply) =>
            withHeaders(reply, { etag: (header(reply, "etag") ?? "").replace("W/", "") }),
          ),
          zipped("compressed without a tag", (reply) => withHeaders(reply, { etag: null })),
        ]
      : []),
    zipped("compressed without Vary", (reply) => withHeaders(reply, { vary: null })),
    zipped("compressed as something else", (reply) => withHeaders(reply, { "content-encoding": "zstd" })),
    zipped("compressed to something else", (reply) => withBody(reply, `${new TextDecoder().decode(reply.body)}x`)),
    of(
      "206 to Range",
      onReply(sending("range"), (reply) =>
        withHeaders(
          { ...withStatus(reply, 206), body: reply.body.subarray(0, 10), wireLength: 10 },
          { "content-range": "bytes 0-9/100", "content-length": "10" },
        ),
      ),
    ),
    of(
      "304 to If-Modified-Since",
      onReply(sending("if-modified-since"), (reply) => withBody(withStatus(reply, 304), "")),
    ),
    ...(route.conditional
      ? [
          {
            ...of(
              "200 to If-None-Match beside If-Modified-Since",
              onRequest(({ headers: { "if-none-match": tag, ...headers } }) =>
                tag !== undefined && headers["if-modified-since"] !== undefined ? { headers } : undefined,
              ),
            ),
            families: ["not-modified"] as const,
          },
        ]
      : []),
    of(
      "412 to If-Unmodified-Since",
      onReply(sending("if-unmodified-since"), (reply) => asError(reply, 412, "precondition_failed")),
    ),
    of(
      "412 to If-Match",
      onReply(sending("if-match"), (reply) => asError(reply, 412, "precondition_failed")),
    ),
    { ...of("a cache keeps it for long", keeps(at)), families: ["answers", "kept"] },
    {
      ...of("a forged request fills the cache", forged(at)),
      families: ["kept"],
    },
  ];
});

/** Serves an older copy under the plain URL only: another text, another tag. */
function keeps(at: ReturnType<typeof isTarget>): Planted["fault"] {
  return onReply(
    (sent, reply) => at(sent, reply) && reply.status === 200,
    (reply) => {
      const text = new TextDecoder().decode(reply.body).replace(/"installationId":"([^"]*)"/, '"installationId":"$1 "');
      return withHeaders(withBody(reply, text), header(reply, "etag") === undefined ? {} : { etag: '"older"' });
    },
  );
}

/** The response to the front's own language reaches the next reader. */
function forged(at: ReturnType<typeof isTarget>): Planted["fault"] {
  let filled = false;
  return async (sent, next) => {
    const reply = await next(sent);
    if (!at(sent, reply)) return reply;
    if (sent.headers["noonmark-front"] !== undefined) filled = true;
    return filled
      ? withHeaders(reply, { "cache-control": "max-age=0, s-maxage=5", "noonmark-kept-until": "1" })
      : reply;
  };
}

/** Keys by the path alone: all readers get the first query's response. */
function byPathAlone(path: string): Planted["fault"] {
  const kept = new Map<string, Reply>();
  return async (sent: Sent, next: Transport) => {
    if (pathOf(sent) !== path || sent.method !== "GET" || sent.headers["if-none-match"] !== undefined)
      return next(sent);
    const known = kept.get(path) ?? (await next(sent));
    if (known.status === 200) kept.set(path, known);
    return known;
  };
}

/** A bad query's 400 is kept for the good one too. */
function keepsErrors(path: string): Planted["fault"] {
  let kept: Reply | undefined;
  return async (sent, next) => {
    if (pathOf(sent) !== path) return next(sent);
    if (kept !== undefined) return kept;
    const reply = await next(sent);
    if (reply.status === 400) kept = reply;
    return reply;
  };
}

const PER_ROUTE: readonly Planted[] = [...PATHS].flatMap(([route, path]) => {
  const of = (name: string, fault: Planted["fault"], families: Planted["families"] = ["edge"]): Planted => ({
    name: `${path}: ${name}`,
    families,
    only: [route.name],
    fault,
  });
  return route.queryError === null
    ? []
    : [
        of(
          "the query is not in the key",
          byPathAlone(path),
          route.queries.length > 1 || route.query !== "exact" ? ["answers", "queries"] : ["edge"],
        ),
        of("a 400 is kept", keepsErrors(path)),
        of(
          "bad queries are cut off",
          onRequest((sent) =>
            pathOf(sent) === path && /unique|cursor=!/.test(queryOf(sent))
              ? { target: route.queries[0] ? `${path}?${route.queries[0]}` : path }
              : undefined,
          ),
        ),
      ];
});

const KEPT_ERRORS: readonly Planted[] = ["age", "x-cache", "cf-cache-status", "cache-status", "x-varnish"].map(
  (name) => ({
    name: `a 404 is kept and ${name} says so`,
    families: ["edge"],
    only: ["process"],
    fault: onReply(
      (_, reply) => reply.status === 404,
      (reply) =>
        withHeaders(reply, { [name]: { age: "3", "x-varnish": "5 3", "cache-status": "edge; hit" }[name] ?? "HIT" }),
    ),
  }),
);

export const EDGE_FAULTS: readonly Planted[] = [...PER_SUBJECT, ...PER_ROUTE, ...KEPT_ERRORS];
