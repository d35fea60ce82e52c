/**
 * Well-formed but unusual HTTP requests. Malformed HTTP is not included, because servers reject it before they read the
 * URL.
 */
import * as fc from "fast-check";
import { oddTarget } from "./odd-targets.ts";

export interface OddRequest {
  readonly method: string;
  /** Visible ASCII. */
  readonly target: string;
  /** Names may be repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The header that announces the body, and the body as sent. */
  readonly body?: { readonly header: string; readonly text: string };
}

/** All tags of the world (`world.ts`) in one list, so that one If-None-Match can match on every route. */
const TAGS = [
  "process-1",
  "stats-7d",
  ...["now", "24h", "7d", "30d"].flatMap((range) => [`v4-${range}-live`, `v3-${range}-live`]),
];
const each = (write: (tag: string) => string, between = ", ") => TAGS.map(write).join(between);
const quoted = each((tag) => `"${tag}"`);
const SHORT = ["*", " *", "\t*\t", "**", "*,*", "\u00a0*", '"*"', "W/*", '""', "", '"', "x"];
const LISTS = [
  quoted,
  each((tag) => `W/"${tag}"`),
  each((tag) => `w/"${tag}"`),
  each((tag) => tag),
  each((tag) => `"${tag}`),
  each((tag) => `${tag}"`),
  each((tag) => `"${tag}";q=1`),
  each((tag) => `"${tag}"`, " "),
  each((tag) => `"${tag}"`, ",,"),
  `"${each((tag) => tag)}"`,
  ...["*", "x", '"a', '"a,b"', '"a b"', '"\\"', '"\u00e9"'].map((first) => `${first}, ${quoted}`),
  `${quoted}, x`,
];
const LONG = [`${'"0",'.repeat(100)}${quoted}`, `${'"",'.repeat(2_500)}${quoted}`, `${" ".repeat(2_000)}${quoted}`];
const ifNoneMatch = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...SHORT) },
  { weight: 6, arbitrary: fc.constantFrom(...LISTS) },
  { weight: 1, arbitrary: fc.constantFrom(...LONG) },
);

const OTHERS: Readonly<Record<string, readonly string[]>> = {
  range: ["bytes=0-0", "bytes=9999-", "x"],
  "if-range": ['"process-1"'],
  "if-modified-since": ["Sat, 21 Nov 2037 21:13:54 GMT", "x"],
  "if-unmodified-since": ["Sat, 21 Nov 2020 21:13:54 GMT"],
  "if-match": ['"x"', "*"],
  "accept-encoding": ["gzip", "identity;q=0"],
  cookie: ["a=b"],
  authorization: ["Basic eA==", "AWS test:tester:x"],
  "cache-control": ["no-cache", "only-if-cached"],
  pragma: ["no-cache"],
  origin: ["https://elsewhere.example"],
  expect: ["100-continue"],
  upgrade: ["websocket", "h2c"],
  "x-http-method-override": ["POST", "HEAD"],
  "x-original-url": ["/v4/public/onchain"],
  "x-forwarded-host": ["elsewhere.example"],
  "x-accel-redirect": ["/_noonmark/answer"],
  "x-amz-server-side-encryption-customer-algorithm": ["AES256"],
  "x-amz-expected-bucket-owner": ["nobody"],
  "x-amz-meta-status": ["418"],
  "x-big": ["b".repeat(3_000)],
  // The names that Varnish's file uses within itself.
  "x-stale": ["1"],
  "x-object": ["v4/public/onchain"],
  "x-none-match": ["*"],
  "x-passed": ["1"],
  "x-url": ["/v4/public/onchain"],
  "x-tag": ['"x"'],
  "cdn-cache-control": ["max-age=60"],
};
const named = (name: string, values: readonly string[]) =>
  fc.tuple(fc.constantFrom(name, name.toUpperCase()), fc.constantFrom(...values));
const other = fc.oneof(...Object.entries(OTHERS).map(([name, values]) => named(name, values)));
const headers = fc
  .tuple(
    fc.oneof(
      fc.constant([]),
      fc.array(fc.tuple(fc.constantFrom("If-None-Match", "if-none-match"), ifNoneMatch), { maxLength: 2 }),
    ),
    fc.oneof(fc.constant([]), fc.array(other, { maxLength: 3 })),
  )
  .map(([tags, others]) => [...tags, ...others]);

/** If a front mishandles the body's length, it reads this as the next request of the connection. */
const SMUGGLED = "GET /v4/public/onchain HTTP/1.1\r\nhost: front.example\r\n\r\n";
const body = fc.constantFrom(
  { header: `content-length: ${SMUGGLED.length}`, text: SMUGGLED },
  { header: "content-length: 1", text: "x" },
  { header: "transfer-encoding: chunked", text: `${SMUGGLED.length.toString(16)}\r\n${SMUGGLED}\r\n0\r\n\r\n` },
);

/** Maximum bytes of a request head that every front accepts. */
const MAX_HEAD_BYTES = 12_000;

export const oddRequest: fc.Arbitrary<OddRequest> = fc
  .record({
    method: fc.oneof(
      { weight: 6, arbitrary: fc.constant("GET") },
      fc.constant("HEAD"),
      fc.constantFrom("OPTIONS", "POST", "PUT", "TRACE", "get", "PURGE"),
    ),
    target: oddTarget,
    headers,
    sent: fc.oneof({ weight: 12, arbitrary: fc.constant(undefined) }, body),
  })
  .filter(({ target, headers: list }) => target.length + list.join().length < MAX_HEAD_BYTES)
  .map(({ sent, ...request }) =>
    sent === undefined || request.method === "TRACE" ? request : { ...request, body: sent },
  );
