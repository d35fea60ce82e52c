/** Checks for faults of a cache or CDN between origin and reader: encodings, cache keys, stored errors. */
import type { RouteContract } from "../judge/contract.ts";
import { errorCode, judgeRefusal, seen } from "../judge/errors.ts";
import { header, jsonOf, type Reply, shown, strongTag, textOf, type UrlSubject } from "../judge/exchange.ts";
import { EVERY_PATH } from "../judge/report.ts";
import { ask, comparableText, eachRoute, eachSubject, guarded, pathOf, targetOf } from "./ask.ts";
import { replay } from "./replay.ts";
import { EDGE } from "./rules.ts";
import type { Run } from "./run.ts";

const ENCODINGS = ["gzip", "br", "gzip, deflate, br"];

export async function judgeEdge(run: Run): Promise<void> {
  await replay(run, ["edge"]);
  await eachSubject(run, (subject) => judgeEncodings(run, subject));
  await eachRoute(run, (route) => judgeKey(run, route));
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
    const fits = tag === undefined ? !route.etag : tag.startsWith('W/"');
    const varies = /(?:^|,)\s*accept-encoding\s*(?:,|$)/i.test(header(reply, "vary") ?? "");
    const knows = encoding.split(/,\s*/).includes(used.toLowerCase()) && jsonOf(reply) !== undefined;
    run.check(EDGE.encoding, route, fits && varies && knows, () => ({
      expected: `JSON in ${encoding}, a weak ETag and Vary: Accept-Encoding from GET ${target}`,
      saw: `${used}, ETag ${shown(tag)}, Vary ${shown(header(reply, "vary"))}${jsonOf(reply) === undefined ? ", not JSON" : ""}`,
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

/** Two responses with the same tag must have the same text. */
function expectSame(run: Run, { route, target }: UrlSubject, { plain, reply, encoding }: Encoded): void {
  const tags = [plain, reply].map((one) => strongTag(header(one, "etag") ?? ""));
  if (tags[0] === "" || tags[0] !== tags[1]) return;
  run.check(EDGE.encoding, route, comparableText(textOf(plain) ?? "") === comparableText(textOf(reply) ?? ""), () => ({
    expected: `the plain response's text in ${encoding} from GET ${target}`,
    saw: "another text under the same tag",
  }));
}

async function expectWeakMatch(
  run: Run,
  { route, target }: UrlSubject,
  { tag, encoding }: { tag: string; encoding: string },
): Promise<void> {
  const reply = await ask(run, { route, target, headers: { "accept-encoding": encoding, "if-none-match": tag } });
  const hasMoved = reply.status === 200 && strongTag(header(reply, "etag") ?? tag) !== strongTag(tag);
  run.check(EDGE["encoded-tag"], route, reply.status === 304 || hasMoved, () => ({
    expected: `304 to GET ${target} in ${encoding} with If-None-Match: ${tag}`,
    saw: `${reply.status}, ETag ${shown(header(reply, "etag"))}`,
  }));
}

async function judgeKey(run: Run, route: RouteContract): Promise<void> {
  if (route.queryError === null) return;
  const [good = ""] = route.queries;
  const bad =
    route.handler === "observations" ? "cursor=!" : `${good}${good === "" ? "" : "&"}${run.environment.unique()}`;
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
      judgeRefusal({ run, rule: EDGE["query-key"], subject: route, request, reply }, 400, route.queryError);
    }
  }
}

/** Wait (ms) after which a stored response has an Age of at least 1. */
const AGE_SHOWS_AFTER_MS = 2_100;

async function judgeKeptErrors(run: Run): Promise<void> {
  const process = run.routes.find(({ query, queries }) => query === "listed" && queries.length > 0);
  const targets = [
    `/${run.environment.unique()}`,
    ...(process === undefined ? [] : [`${pathOf(run, process)}?a=${run.environment.unique()}`]),
  ];
  const first = await Promise.all(targets.map((target) => ask(run, { target })));
  await run.environment.pause(AGE_SHOWS_AFTER_MS);
  for (const [index, target] of targets.entries()) {
    const reply = await ask(run, { target });
    const kept = cacheSign(reply);
    run.check(EDGE["error-kept"], EVERY_PATH, kept === undefined, () => ({
      expected: `a fresh ${first[index]?.status} ${errorCode(reply) ?? ""} to GET ${target}`,
      saw: `${reply.status} with ${kept}`,
    }));
  }
}

/** Returns the header that shows that a cache stored the response; undefined if there is none. */
function cacheSign(reply: Reply): string | undefined {
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
  // X-Varnish has a second id if the response came from Varnish's cache.
  const varnish = header(reply, "x-varnish");
  return varnish !== undefined && /^\d+ \d+$/.test(varnish) ? `X-Varnish: ${varnish}` : undefined;
}
