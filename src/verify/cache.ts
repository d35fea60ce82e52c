/** Rules for a cache between origin and reader: encodings, cache keys, stored errors, lifetimes, forged headers. */
import { plainQueries } from "../resources/contracts.ts";
import type { NamedRoute } from "../resources/table.ts";
import { errorCode, header, jsonOf, type Reply, seenReply, shown, strongTag, textOf } from "./exchange.ts";
import { waysOfWriting } from "./exchanges/of-row.ts";
import { sendExchanges } from "./exchanges/send.ts";
import { comparableText, type Run, type Subject } from "./run.ts";

const ENCODINGS = ["gzip", "br", "gzip, deflate, br"];

export async function judgeEdge(run: Run): Promise<void> {
  await sendExchanges(run, "edge");
  await run.eachSubject((subject) => judgeEncodings(run, subject));
  await run.eachRoute((route) => judgeKey(run, route));
  await run.guarded("errors", () => judgeKeptErrors(run));
}

async function judgeEncodings(run: Run, subject: Subject): Promise<void> {
  const { route, target } = subject;
  for (const encoding of ENCODINGS) {
    const check = run.on(`GET ${target} with accept-encoding: ${encoding}`);
    const headers = { "accept-encoding": encoding };
    const plain = await run.ask(subject);
    const reply = await run.ask({ route, target, headers });
    const used = header(reply, "content-encoding");
    if (used === undefined) continue;
    const tag = header(reply, "etag");
    const fits = tag === undefined ? !route.etag : tag.startsWith('W/"');
    const varies = /(?:^|,)\s*accept-encoding\s*(?:,|$)/i.test(header(reply, "vary") ?? "");
    const isRead = encoding.split(/,\s*/).includes(used.toLowerCase()) && jsonOf(reply) !== undefined;
    const seen = `${used}, ETag ${shown(tag)}, Vary ${shown(header(reply, "vary"))}, ${isRead ? "" : "not "}readable`;
    check("edge/encoding", fits && varies && isRead, `JSON in ${encoding}, a weak ETag, Vary: Accept-Encoding`, seen);
    const [one, other] = [plain, reply].map((each) => comparableText(textOf(each) ?? ""));
    const isSame = strongTagOf(plain) === "" || strongTagOf(plain) !== strongTagOf(reply) || one === other;
    check("edge/encoding", isSame, "the plain response's text", "another text under the same tag");
    if (route.conditional && tag !== undefined) {
      const again = await run.ask({ route, target, headers: { ...headers, "if-none-match": tag } });
      const hasMoved = again.status === 200 && strongTagOf(again) !== strongTag(tag) && strongTagOf(again) !== "";
      check("edge/encoding", again.status === 304 || hasMoved, `304 with If-None-Match: ${tag}`, seenReply(again));
    }
    const after = await run.ask(subject);
    const plainTag = header(after, "etag") ?? "";
    const holds = after.status === 200 && !plainTag.startsWith("W/");
    check("edge/encoding", holds, "afterwards a plain 200 with a strong ETag", `${after.status}, ETag ${plainTag}`);
  }
}

function strongTagOf(reply: Reply): string {
  return strongTag(header(reply, "etag") ?? "");
}

async function judgeKey(run: Run, route: NamedRoute): Promise<void> {
  if (route.queryError === null) return;
  const [good = ""] = plainQueries(route);
  const added = `${good}${good === "" ? "" : "&"}${run.environment.unique()}`;
  const bad = route.handler === "observations" ? "cursor=!" : added;
  for (const query of [good, bad, good, bad]) {
    const { target } = run.subject(route, query);
    const reply = await run.ask({ route, target });
    const holds = query === good ? reply.status !== 400 : errorCode(reply) === route.queryError;
    const expected = query === good ? "no 400 after a bad query" : `400 ${route.queryError} after a good query`;
    run.on(`GET ${target}`)("edge/key", holds, expected, seenReply(reply));
  }
}

/** Wait (ms) after which a stored response has an Age of at least 1. */
const AGE_SHOWS_AFTER_MS = 2_100;

async function judgeKeptErrors(run: Run): Promise<void> {
  const { unique, pause } = run.environment;
  const listed = run.options.routes.find(({ query, path }) => query === "listed" && !path.includes("{"));
  const targets = [`/${unique()}`, ...(listed === undefined ? [] : [`${listed.path}?a=${unique()}`])];
  await Promise.all(targets.map((target) => run.ask({ target })));
  await pause(AGE_SHOWS_AFTER_MS);
  for (const target of targets) {
    const sign = cacheSign(await run.ask({ target }));
    run.on(`GET ${target}`)("errors/kept", sign === undefined, "a fresh error", String(sign));
  }
}

/** Returns the header that shows that a cache stored the response; undefined if there is none. */
function cacheSign(reply: Reply): string | undefined {
  const age = header(reply, "age");
  if (age !== undefined && Number(age) > 0) return `Age: ${age}`;
  const names = "x-cache x-cache-status x-proxy-cache cf-cache-status cache-status x-varnish-cache".split(" ");
  const hit = names.find((name) => /\bhit\b/i.test(header(reply, name) ?? ""));
  if (hit !== undefined) return `${hit}: ${header(reply, hit)}`;
  // X-Varnish has a second id if the response came from Varnish's cache.
  const varnish = header(reply, "x-varnish") ?? "";
  return /^\d+ \d+$/.test(varnish) ? `X-Varnish: ${varnish}` : undefined;
}

const SLACK_MS = 2_000;
/** Headers that a front uses within itself, and headers that no route reads. */
const FORGED = {
  "x-stale": "1",
  "x-forwarded-host": "elsewhere.example",
  "x-forwarded-prefix": "/elsewhere",
  "x-original-url": "/nowhere",
  "x-http-method-override": "POST",
  authorization: "Bearer nobody",
  cookie: "a=b",
};
/** Attempts to compare; each requests another form of the URL, which no cache has stored. */
const TRIES = 3;

export async function judgeKept(run: Run): Promise<void> {
  // After these requests, caches may have stored responses to the canonical URLs.
  await run.eachSubject((subject) => run.ask(subject));
  const edge = Math.max(0, ...run.options.routes.map(({ edgeSeconds }) => edgeSeconds));
  await run.environment.pause(edge * 1000 + SLACK_MS);
  await run.eachSubject((subject) => compareWithFresh(run, subject));
}

async function compareWithFresh(run: Run, subject: Subject): Promise<void> {
  const { route, target } = subject;
  const check = run.on(`GET ${target}`);
  // Stored responses to this URL have expired, so this request may fill a cache.
  await run.environment.send({ method: "GET", target, headers: FORGED });
  const other = await run.ask(subject);
  const cacheControl = header(other, "cache-control");
  const isOwn = other.status === 200 ? cacheControl === (route.cacheControl ?? undefined) : other.status !== 405;
  const expected = `a response as if no other reader had sent ${Object.keys(FORGED).join(", ")}`;
  check("kept/forged", isOwn, expected, `${other.status}, Cache-Control ${shown(cacheControl)}`);
  let [wanted, plain, isRecent] = ["", "", false];
  for (let tries = 0; tries < TRIES && !isRecent; tries++) {
    if (tries > 0) await run.environment.pause(route.edgeSeconds * 1000 + SLACK_MS);
    const before = identity(await run.ask({ route, target: freshTarget(run, subject) }));
    plain = identity(await run.ask(subject));
    wanted = identity(await run.ask({ route, target: freshTarget(run, subject) }));
    // If the response changed between the two reads, this attempt says nothing about a cache.
    isRecent = before !== wanted || plain === wanted;
  }
  check(
    "kept/too-long",
    isRecent,
    `as from a URL that no cache has stored: ${wanted.slice(0, 100)}`,
    plain.slice(0, 100),
  );
}

/** Returns the same query in a form that no cache has stored. */
function freshTarget(run: Run, { route, query }: Subject): string {
  const unique = run.environment.unique();
  if (route.query === "ignored" || route.handler === "observations") return run.subject(route, `${unique}=1`).target;
  const ways = waysOfWriting(query);
  const way = ways.find((one) => one.includes("%")) ?? ways[0] ?? query;
  return run.subject(route, `${way}${"&".repeat(2 + (unique.charCodeAt(0) % 40))}`).target;
}

function identity(reply: Reply): string {
  const tag = header(reply, "etag");
  return `${reply.status} ${tag === undefined ? comparableText(textOf(reply) ?? "") : strongTag(tag)}`;
}
