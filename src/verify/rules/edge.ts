/** What a cache or CDN between origin and reader does of its own: encodings, ranges, dates, keys. */

import type { RouteContract } from "../contract.ts";
import { header, jsonOf, type Reply, textOf } from "../exchange/exchange.ts";
import { family } from "../report/rule.ts";
import { EVERY_PATH, type Run } from "../run.ts";
import { allSubjects, pathOf, targetOf, type UrlSubject } from "../subjects.ts";
import { judgeGood } from "./answers.ts";
import { ask } from "./ask.ts";
import { errorCode, judgeRefusal, seen } from "./errors.ts";
import { each, guarded } from "./guarded.ts";
import { shown } from "./judged.ts";
import { essence, opaque } from "./revision.ts";

export const EDGE = family("edge", {
  encoding: [
    "an encoded answer decodes to the plain one, under the weak form of its tag and with Vary: Accept-Encoding",
    "weaken the ETag where the front compresses, and key by Accept-Encoding",
    "API 4, every answer",
  ],
  "encoding-mixed": [
    "a plain reader gets a plain answer after an encoded one, under the strong tag",
    "key stored copies by Accept-Encoding",
    "API 4, every answer",
  ],
  "encoded-tag": [
    "the weak tag of an encoded answer is answered 304",
    "evaluate If-None-Match by weak comparison",
    "API 4.4",
  ],
  range: [
    "Range is not evaluated: the whole body, 200",
    "turn range requests off in the front, and strip Range towards the storage",
    "API 4, every answer",
  ],
  dates: [
    "If-Modified-Since and If-Unmodified-Since are not evaluated",
    "strip both before the cache and towards the storage",
    "API 4, every answer",
  ],
  "if-match": [
    "If-Match is not evaluated",
    "strip If-Match before the cache and towards the storage",
    "API 4, every answer",
  ],
  "query-key": [
    "a bad query is refused after a good one, and a good one is answered after a bad one",
    "put the whole query into the cache key, and keep no 400",
    "API 4.4 to 4.8",
  ],
  "error-kept": [
    "an error is never answered out of a cache",
    "give errors no lifetime in the cache: a 404 that is kept outlives its cause",
    "API 7",
  ],
});

const FUTURE = "Fri, 31 Dec 9999 23:59:59 GMT";
const PAST = "Thu, 01 Jan 1970 00:00:00 GMT";
const ENCODINGS = ["gzip", "br", "gzip, deflate, br"];
export async function judgeEdge(run: Run): Promise<void> {
  await each(run, allSubjects(run), {
    of: ({ route }) => route,
    checks: async (subject) => {
      await judgeEncodings(run, subject);
      await judgeIgnoredHeaders(run, subject);
    },
  });
  await each(run, run.routes, { of: (route) => route, checks: (route) => judgeKeys(run, route) });
  await guarded(run, EVERY_PATH, () => judgeKeptErrors(run));
}

async function judgeEncodings(run: Run, subject: UrlSubject): Promise<void> {
  const { route, target } = subject;
  for (const encoding of ENCODINGS) {
    const headers = { "accept-encoding": encoding };
    const plain = await ask(run, { route, target });
    const reply = await ask(run, { route, target, headers });
    const used = header(reply, "content-encoding");
    if (used === undefined) continue;
    const tag = header(reply, "etag");
    const fits = tag === undefined ? !route.hasTag : tag.startsWith('W/"');
    const varies = /(?:^|,)\s*accept-encoding\s*(?:,|$)/i.test(header(reply, "vary") ?? "");
    const knows = encoding.split(/,\s*/).includes(used.toLowerCase()) && jsonOf(reply) !== undefined;
    run.check(EDGE.encoding, route, fits && varies && knows, () => ({
      expected: `JSON in ${encoding}, a weak ETag and Vary: Accept-Encoding from GET ${target}`,
      saw: `${used}, ETag ${shown(tag)}, Vary ${shown(header(reply, "vary"))}${jsonOf(reply) === undefined ? ", no JSON" : ""}`,
    }));
    expectSame(run, subject, { plain, reply, encoding });
    if (route.conditional && tag !== undefined) await expectWeakMatch(run, subject, { tag, encoding });
    const after = await ask(run, { route, target });
    const plainTag = header(after, "etag");
    run.check(EDGE["encoding-mixed"], route, after.status === 200 && !(plainTag ?? "").startsWith("W/"), () => ({
      expected: `200 and a strong ETag from GET ${target} after one in ${encoding}`,
      saw: `${after.status}, ETag ${shown(plainTag)}`,
    }));
  }
}

interface Encoded {
  readonly plain: Reply;
  readonly reply: Reply;
  readonly encoding: string;
}

/** Under one tag, or without tags where nothing has moved, the same text. */
function expectSame(run: Run, { route, target }: UrlSubject, { plain, reply, encoding }: Encoded): void {
  const tags = [plain, reply].map((one) => opaque(header(one, "etag") ?? ""));
  if (tags[0] === "" || tags[0] !== tags[1]) return;
  run.check(EDGE.encoding, route, essence(textOf(plain) ?? "") === essence(textOf(reply) ?? ""), () => ({
    expected: `the plain answer's text in ${encoding} from GET ${target}`,
    saw: "another text under the same tag",
  }));
}

async function expectWeakMatch(
  run: Run,
  { route, target }: UrlSubject,
  { tag, encoding }: { tag: string; encoding: string },
): Promise<void> {
  const reply = await ask(run, { route, target, headers: { "accept-encoding": encoding, "if-none-match": tag } });
  const hasMoved = reply.status === 200 && opaque(header(reply, "etag") ?? tag) !== opaque(tag);
  run.check(EDGE["encoded-tag"], route, reply.status === 304 || hasMoved, () => ({
    expected: `304 to GET ${target} in ${encoding} with If-None-Match: ${tag}`,
    saw: String(reply.status),
  }));
}

async function judgeIgnoredHeaders(run: Run, subject: UrlSubject): Promise<void> {
  const { route, target } = subject;
  const plain = await ask(run, { route, target });
  const asks = [
    [EDGE.range, { range: "bytes=0-9" }],
    [EDGE.range, { range: "bytes=0-9", "if-range": header(plain, "etag") ?? '"x"' }],
    [EDGE.dates, { "if-modified-since": FUTURE }],
    [EDGE.dates, { "if-unmodified-since": PAST }],
    [EDGE["if-match"], { "if-match": '"noonmark-verify"' }],
  ] as const;
  for (const [rule, headers] of asks) {
    const reply = await ask(run, { route, target, headers });
    const holds = reply.status === plain.status && !reply.headers.has("content-range");
    run.check(rule, route, holds, () => ({
      expected: `${plain.status} and the whole body to GET ${target} with ${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}`)
        .join(", ")}`,
      saw: seen(reply),
    }));
    if (reply.status === 200) judgeGood(run, subject, reply);
  }
}

async function judgeKeys(run: Run, route: RouteContract): Promise<void> {
  if (route.queryError === null) return;
  const [good = ""] = route.queries;
  const bad =
    route.query === "observations" ? "cursor=!" : `${good}${good === "" ? "" : "&"}${run.surroundings.unique()}`;
  for (const query of [good, bad, good, bad]) {
    const target = targetOf(run, route, query);
    const reply = await ask(run, { route, target });
    const request = `GET ${target} between good and bad queries`;
    if (query === good) {
      run.check(EDGE["query-key"], route, reply.status !== 400, () => ({
        expected: `no 400 to ${request}`,
        saw: seen(reply),
      }));
    } else {
      judgeRefusal({
        run,
        rule: EDGE["query-key"],
        subject: route,
        request,
        reply,
        status: 400,
        code: route.queryError,
      });
    }
  }
}

/** Long enough for an Age of one second to show. */
const AGE_SHOWS_AFTER_MS = 2_100;

async function judgeKeptErrors(run: Run): Promise<void> {
  const process = run.routes.find(({ query, queries }) => query === "exact" && queries.length > 0);
  const targets = [
    `/${run.surroundings.unique()}`,
    ...(process === undefined ? [] : [`${pathOf(run, process)}?a=${run.surroundings.unique()}`]),
  ];
  const first = await Promise.all(targets.map((target) => ask(run, { target })));
  await run.surroundings.pause(AGE_SHOWS_AFTER_MS);
  for (const [index, target] of targets.entries()) {
    const reply = await ask(run, { target });
    const kept = cacheWords(reply);
    run.check(EDGE["error-kept"], EVERY_PATH, kept === undefined, () => ({
      expected: `a fresh ${first[index]?.status} ${errorCode(reply) ?? ""} to GET ${target}`,
      saw: `${reply.status} with ${kept}`,
    }));
  }
}

/** How a cache says that it answered itself. */
function cacheWords(reply: Reply): string | undefined {
  const age = header(reply, "age");
  if (age !== undefined && Number(age) > 0) return `Age: ${age}`;
  for (const name of [
    "x-cache",
    "x-cache-status",
    "x-proxy-cache",
    "cf-cache-status",
    "cache-status",
    "x-varnish-cache",
  ]) {
    const value = header(reply, name);
    if (value !== undefined && /\bhit\b/i.test(value)) return `${name}: ${value}`;
  }
  // Varnish names the request that filled its cache beside this one.
  const varnish = header(reply, "x-varnish");
  return varnish !== undefined && /^\d+ \d+$/.test(varnish) ? `X-Varnish: ${varnish}` : undefined;
}
