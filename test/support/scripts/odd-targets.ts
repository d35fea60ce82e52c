/** Unusual request targets: valid ones with small changes to each part. */
import * as fc from "fast-check";

/** One URL per cacheable response, and two that must not be cached. */
export const PLAIN_TARGETS = [
  "/v1/public/telemetry",
  "/v1/public/modules",
  "/v4/public/process",
  "/v4/public/onchain",
  ...["7d", "30d"].map((range) => `/v2/public/stats?range=${range}`),
  ...["now", "24h", "7d", "30d"].flatMap((range) => [3, 4].map((v) => `/v${v}/public/settlements?range=${range}`)),
  "/v4/public/settlements?range=now&queue=1",
  ...["", "?category=protocol&limit=2", "?category=players"].map((query) => `/v1/public/activity${query}`),
  ...["wheel-1", "wheel-2", "a:b.c_D", "wheel-3"].flatMap((id) =>
    ["telemetry", "observations?limit=3"].map((what) => `/v1/public/installations/${id}/${what}`),
  ),
  "/v4/public/process?a",
  "/nowhere",
];

const ids = fc.constantFrom(
  "..",
  ".",
  "%2e",
  "a%3Ab.c_D",
  "%77heel-1",
  "a%2Fb",
  "a/b",
  "",
  "%",
  "%FF",
  "%00",
  "a+b",
  "$1",
);
const longId = fc.constantFrom(128, 129, 3_000).map((length) => "x".repeat(length));
const oddPath = fc.oneof(
  fc
    .tuple(fc.oneof(ids, longId), fc.constantFrom("telemetry", "observations"))
    .map(([id, what]) => `/v1/public/installations/${id}/${what}`),
  fc.constantFrom(
    "/",
    "/status.json",
    "/v2/public/stats/7d",
    "/_noonmark/answer",
    "/_noonmark/bucket/1/v1/public/modules",
  ),
);

const PARAMETERS = `range=7d range=now range=24h queue=1 queue=0 limit=7 limit=00 limit=1e2 limit=%37 cursor=MQ cursor=
cursor=! category=all category=ALL a a= = % %FF %72ange=7d range=7%64 range=7D RANGE=7d range=now+ range=now%26queue=1
range=now;queue=1 ? # range=7d#x " ' <> \\ .. /../`.split(/\s/);
const oddQuery = fc
  .tuple(
    fc.array(fc.oneof(fc.constantFrom(...PARAMETERS), fc.constantFrom("y".repeat(4_000), "&".repeat(60))), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.constantFrom("&", "&", "&&", ";"),
  )
  .map(([parameters, between]) => `?${parameters.join(between)}`);

/** `at` is a position from 0 to 1. */
type Mutation = (target: string, at: number) => string;
const INTO_PATH = ["//", "/./", "/../", "/x/../", "/%2e%2E/", "\\", "%2F", "/x\\..\\", "%5c", "/_noonmark/../"];
const AFTER_PATH = ["/", "/.", "/x/..", ";a=b", "%20", "%00", "%0a", "%3F", "#", "+", ".json", "%", "?a", "?", "/%2e"];
const BEFORE = [
  "http://front.example",
  "HTTPS://front.example:8080",
  "//front.example",
  "/..",
  "/x/../..",
  "/.//..",
  "/",
];
const AT_END = ["&", "&&&", "?", "#", "#?a", "%0A"];
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.constantFrom(...INTO_PATH).map(
    (text): Mutation =>
      (target, at) => {
        const slashes = [...pathOf(target).matchAll(/\//g)].map(({ index }) => index);
        const slash = slashes[Math.floor(at * slashes.length)] ?? 0;
        return target.slice(0, slash) + text + target.slice(slash + 1);
      },
  ),
  fc.constantFrom(...AFTER_PATH).map(
    (text): Mutation =>
      (target) => {
        const path = pathOf(target);
        return path + text + target.slice(path.length);
      },
  ),
  fc.constantFrom(...BEFORE).map(
    (text): Mutation =>
      (target) =>
        text + target,
  ),
  fc.constantFrom(...AT_END).map(
    (text): Mutation =>
      (target) =>
        target + text,
  ),
  fc
    .constantFrom(
      (unit: string) => encoded(unit),
      (unit: string) => unit.toUpperCase(),
      (unit: string) => unit + unit,
      () => "",
    )
    .map(
      (change): Mutation =>
        (target, at) => {
          const index = 1 + Math.floor(at * (target.length - 1));
          return target.slice(0, index) + change(target[index] ?? "") + target.slice(index + 1);
        },
    ),
);

const plain = fc.constantFrom(...PLAIN_TARGETS);
const written = fc.oneof(
  { weight: 4, arbitrary: plain },
  { weight: 4, arbitrary: fc.tuple(plain.map(pathOf), oddQuery).map(([path, query]) => path + query) },
  { weight: 2, arbitrary: fc.tuple(oddPath, fc.oneof(fc.constant(""), oddQuery)).map(([path, query]) => path + query) },
);
const changes = fc.array(fc.tuple(mutation, fc.double({ min: 0, max: 0.999, noNaN: true })), { maxLength: 2 });

/** Visible ASCII, in origin form or absolute form. */
export const oddTarget: fc.Arbitrary<string> = fc
  .tuple(written, fc.oneof(fc.constant([]), changes))
  .map(([text, list]) => list.reduce((changed, [change, at]) => change(changed, at), text))
  .filter((text) => /^(?:\/|https?:\/\/front\.example(?::8080)?\/)/i.test(text));

function pathOf(text: string): string {
  return text.split("?", 1)[0] ?? text;
}

function encoded(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
