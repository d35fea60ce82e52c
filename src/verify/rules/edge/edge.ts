/** What a cache or CDN between origin and reader does of its own: encodings, ranges, dates, keys. */

import { seen } from "../../../judge/errors.ts";
import { header, jsonOf, type Reply, textOf } from "../../../judge/exchange.ts";
import { judgeGood } from "../../../judge/good.ts";
import type { UrlSubject } from "../../../judge/judged.ts";
import { shown } from "../../../judge/judged.ts";
import { family } from "../../../judge/rule.ts";
import type { Run } from "../../run.ts";
import { allSubjects } from "../../subjects.ts";
import { ask } from "../ask.ts";
import { each } from "../guarded.ts";
import { judgeKeys } from "./edge-keys.ts";
import { essence, opaque } from "./revision.ts";

export const EDGE = family("edge", {
  encoding: [
    "an encoded answer decodes to the plain one, under the weak form of its tag and with Vary: Accept-Encoding",
    "weaken the ETag where the front compresses, and key by Accept-Encoding",
    "docs/spec/api.md#malformed-http",
  ],
  "encoding-mixed": [
    "a plain reader gets a plain answer after an encoded one, under the strong tag",
    "key stored copies by Accept-Encoding",
    "docs/spec/api.md#malformed-http",
  ],
  "encoded-tag": [
    "the weak tag of an encoded answer is answered 304",
    "evaluate If-None-Match by weak comparison",
    "docs/spec/api.md#caching",
  ],
  range: [
    "Range is not evaluated: the whole body, 200",
    "turn range requests off in the front, and strip Range towards the storage",
    "docs/spec/api.md#http",
  ],
  dates: [
    "If-Modified-Since and If-Unmodified-Since are not evaluated",
    "strip both before the cache and towards the storage",
    "docs/spec/api.md#http",
  ],
  "if-match": [
    "If-Match is not evaluated",
    "strip If-Match before the cache and towards the storage",
    "docs/spec/api.md#http",
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
  await judgeKeys(run);
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
