/** Faults of caches, compressors and stores between origin and reader. */

import { gunzipSync, gzipSync } from "node:zlib";
import { plainQueries } from "../../../../src/resources/contracts.ts";
import { header, type Reply, type Sent } from "../../../../src/verify/exchange.ts";
import {
  both,
  type Change,
  error,
  headers,
  isTarget,
  onReply,
  type Planted,
  pathOf,
  planter,
  queryOf,
  status,
  text,
  type When,
} from "./plant.ts";
import { goodQuery, inTurn, PATHS } from "./subjects.ts";

const wantsGzip: When = (sent, reply) => reply.status === 200 && /gzip/.test(sent.headers["accept-encoding"] ?? "");

/** Correct compression; each fault removes one part of it. */
const compressed: Change = (reply) => {
  const wire = gzipSync(reply.body);
  const tag = header(reply, "etag");
  const changed = headers({
    "content-encoding": "gzip",
    vary: "Accept-Encoding",
    "content-length": String(wire.length),
    etag: tag === undefined ? null : `W/${tag}`,
  })(reply);
  return { ...changed, body: gunzipSync(wire), wireLength: wire.length };
};

const COMPRESSED: Readonly<Record<string, Change>> = {
  "compressed without Vary": headers({ vary: null }),
  "compressed with another coding": headers({ "content-encoding": "zstd" }),
  "compressed from another body": text((whole) => `${whole}x`),
};
const COMPRESSED_TAG: Readonly<Record<string, Change>> = {
  "compressed under the strong tag": (reply) =>
    headers({ etag: (header(reply, "etag") ?? "").replace("W/", "") })(reply),
  "compressed without a tag": headers({ etag: null }),
};
const ranged: Change = (reply) => ({
  ...headers({ "content-range": "bytes 0-9/100", "content-length": "10" })(status(206)(reply)),
  body: reply.body.subarray(0, 10),
  wireLength: 10,
});
/** Depends on the request's header. */
const CONDITIONS: readonly (readonly [name: string, header: string, change: Change])[] = [
  ["206 to Range", "range", ranged],
  ["304 to If-Modified-Since", "if-modified-since", both(status(304), text(""))],
  ["412 to If-Unmodified-Since", "if-unmodified-since", error(412, "precondition_failed")],
  ["412 to If-Match", "if-match", error(412, "precondition_failed")],
];

const AT_URLS = inTurn(({ route, target }) => {
  const at = isTarget(target);
  const edge = planter(`${target}: `, "edge", route.name);
  const zipped = Object.entries(route.etag ? { ...COMPRESSED_TAG, ...COMPRESSED } : COMPRESSED);
  const dropsTag = ({ headers: { "if-none-match": tag, ...others } }: Sent) =>
    tag !== undefined && others["if-modified-since"] !== undefined ? { headers: others } : undefined;
  const ignored = planter(`${target}: `, "not-modified", route.name);
  return [
    ...zipped.map(([name, change]) =>
      edge.reply(name, (sent, reply) => at(sent) && wantsGzip(sent, reply), both(compressed, change)),
    ),
    ...CONDITIONS.map(([name, condition, change]) =>
      edge.reply(name, (sent) => at(sent) && sent.headers[condition] !== undefined, change),
    ),
    ...(route.conditional ? [ignored.request("200 to If-None-Match beside If-Modified-Since", dropsTag)] : []),
    planter(`${target}: `, ["answer", "kept"], route.name).fault("a cache keeps it for long", keeps(at)),
    planter(`${target}: `, "kept", route.name).fault("a forged request fills the cache", forged(at)),
  ];
});

/** Serves an older copy, with another text and tag, only under the plain URL. */
function keeps(at: (sent: Sent) => boolean): Planted["fault"] {
  const older = text((whole) => whole.replace(/"installationId":"([^"]*)"/, '"installationId":"$1 "'));
  return onReply(
    (sent, reply) => at(sent) && reply.status === 200,
    (reply) => headers(header(reply, "etag") === undefined ? {} : { etag: '"older"' })(older(reply)),
  );
}

/** A response intended for a front reaches the next reader. */
function forged(at: (sent: Sent) => boolean): Planted["fault"] {
  let filled = false;
  const kept = headers({ "cache-control": "max-age=0, s-maxage=5" });
  return async (sent, next) => {
    const reply = await next(sent);
    if (!at(sent)) return reply;
    if (sent.headers["x-stale"] !== undefined) filled = true;
    return filled ? kept(reply) : reply;
  };
}

/** Uses only the path as cache key: all readers get the first query's response. */
function keyedByPath(path: string): Planted["fault"] {
  let kept: Reply | undefined;
  return async (sent, next) => {
    if (pathOf(sent) !== path || sent.method !== "GET" || sent.headers["if-none-match"] !== undefined)
      return next(sent);
    const known = kept ?? (await next(sent));
    if (known.status === 200) kept = known;
    return known;
  };
}

/** A bad query's 400 is also cached for the good query. */
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
  if (route.queryError === null) return [];
  const edge = planter(`${path}: `, "edge", route.name);
  const hasQueries = plainQueries(route).length > 1 || route.query !== "listed";
  return [
    edge.fault("the query is not in the key", keyedByPath(path), hasQueries ? ["answer", "query"] : "edge"),
    edge.fault("a 400 is kept", keepsErrors(path)),
    edge.request("bad queries are cut off", (sent) =>
      pathOf(sent) === path && /unique|cursor=!/.test(queryOf(sent)) ? { target: path + goodQuery(route) } : undefined,
    ),
  ];
});

const KEPT_ERRORS: Readonly<Record<string, string>> = {
  age: "3",
  "x-cache": "HIT",
  "cf-cache-status": "HIT",
  "cache-status": "edge; hit",
  "x-varnish": "5 3",
};

export const EDGE_FAULTS: readonly Planted[] = [
  ...AT_URLS,
  ...PER_ROUTE,
  ...Object.entries(KEPT_ERRORS).map(([name, value]) =>
    planter("a 404 is kept and ", "edge", "process").reply(
      `${name} says so`,
      (_, reply) => reply.status === 404,
      headers({ [name]: value }),
    ),
  ),
];
