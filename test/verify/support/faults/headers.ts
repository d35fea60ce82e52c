/** Lost, added and changed headers, on good responses, 304s and errors. */

import type { FamilyName } from "../../../../src/verify/verify.ts";
import { type Change, headers, isGood, type Planted, planter, status, text, type When } from "./plant.ts";
import { type FaultSubject, inTurn } from "./subjects.ts";

type Changes = Readonly<Record<string, string | null>>;

const SOURCE = "x-service-settlement-source";
const REASON = "x-service-settlement-fallback-reason";

/** On any response. */
const EVERYWHERE: readonly Changes[] = [
  { "access-control-allow-origin": null },
  { "access-control-allow-origin": "https://noonmark.example" },
  { "access-control-expose-headers": null },
  { "access-control-expose-headers": "ETag" },
  { "x-content-type-options": null },
  { "last-modified": "Fri, 20 Nov 2026 10:00:00 GMT" },
  { "set-cookie": "session=1" },
  { "x-amz-request-id": "tx0001" },
  { "x-amz-meta-valid-until": "1795160000000" },
  { vary: "Accept-Encoding, Cookie" },
  { "accept-ranges": "bytes" },
];
const ON_BODIES: readonly Changes[] = [
  { "content-type": "text/html; charset=utf-8" },
  { "content-type": "application/json" },
  { "content-type": null },
  { "content-length": "7" },
  { "content-encoding": "gzip" },
];

const ON_ERRORS: readonly Changes[] = [
  { etag: '"x"' },
  { "cache-control": "max-age=10" },
  { "retry-after": "2" },
  { [SOURCE]: "live" },
  { age: "30" },
];
const FAMILY_OF: Readonly<Record<number, FamilyName>> = { 400: "query", 404: "path", 405: "method" };

const twice: Change = (reply) => ({
  ...reply,
  headers: new Map(reply.headers).set("content-type", ["application/json; charset=utf-8", "text/plain"]),
});

export const HEADER_FAULTS: readonly Planted[] = [
  ...inTurn(onGood),
  ...inTurn((subject) => (subject.route.conditional ? onNotModified(subject) : [])),
  ...[400, 404, 405].flatMap(onError),
];

function ownOf({ route }: FaultSubject): Changes[] {
  const wrongControl = route.cacheControl === null ? ["max-age=60", "no-store"] : ["public, max-age=60", "no-cache"];
  return [
    ...wrongControl.map((value) => ({ "cache-control": value })),
    ...(route.cacheControl === null ? [] : [{ "cache-control": null }]),
    ...(route.etag ? [{ etag: null }, { etag: 'W/"x"' }, { etag: "x" }] : [{ etag: '"x"' }]),
    ...(route.sourceHeaders
      ? [
          { [SOURCE]: null },
          { [SOURCE]: "cache" },
          { [SOURCE]: "unavailable" },
          { [REASON]: "indexer_unavailable" },
          { [SOURCE]: "durable-cache" },
          { [SOURCE]: "durable-cache", [REASON]: "asleep" },
        ]
      : [{ [SOURCE]: "live" }]),
    { age: String(route.edgeSeconds + route.staleIfErrorSeconds + 30) },
  ];
}

function onGood(subject: FaultSubject): Planted[] {
  const { route, target } = subject;
  const isHere: When = (sent, reply) => sent.target === target && isGood(sent, reply);
  const good = planter(`200 ${target}: `, "answer", route.name);
  return [
    ...[...EVERYWHERE, ...ON_BODIES, ...ownOf(subject)].map((one) => good.reply(spoken(one), isHere, headers(one))),
    good.reply("two lines of content-type", isHere, twice),
  ];
}

function onNotModified({ route, target }: FaultSubject): Planted[] {
  const isHere: When = (sent, reply) => sent.target === target && reply.status === 304;
  const notModified = planter(`304 ${target}: `, "not-modified", route.name);
  const changes: Changes[] = [
    { "access-control-allow-origin": null },
    { "access-control-expose-headers": null },
    { "x-content-type-options": null },
    { "cache-control": null },
    { "cache-control": "max-age=60" },
    { "last-modified": "Fri, 20 Nov 2026 10:00:00 GMT" },
    { "content-type": "application/json; charset=utf-8" },
    route.notModifiedTag ? { etag: null } : { etag: '"x"' },
    ...(route.notModifiedTag ? [{ etag: 'W/"x"' }] : []),
    ...(route.sourceHeaders ? [{ [SOURCE]: null }] : [{ [SOURCE]: "live" }]),
  ];
  return [
    ...changes.map((one) => notModified.reply(spoken(one), isHere, headers(one))),
    notModified.reply("a body", isHere, text("{}")),
    notModified.reply("200 without a body", isHere, status(200)),
  ];
}

function onError(code: number): Planted[] {
  const error = planter(`${code}: `, FAMILY_OF[code] as FamilyName, "process");
  return [...EVERYWHERE, ...ON_BODIES, ...ON_ERRORS].map((changes) =>
    error.reply(spoken(changes), (_, reply) => reply.status === code, headers(changes)),
  );
}

function spoken(changes: Changes): string {
  return Object.entries(changes)
    .map(([name, value]) => (value === null ? `no ${name}` : `${name}: ${value}`))
    .join(", ");
}
