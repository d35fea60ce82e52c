/** Sends exchanges to a deployment and compares its responses with theirs, and each response to HEAD with that to GET. */
import { listMembers } from "../../values/text.ts";
import { fieldsOf } from "../../values/unknown.ts";
import { judgeGood } from "../body.ts";
import {
  errorCode,
  header,
  jsonOf,
  type Place,
  type Reply,
  requestText,
  seenReply,
  shown,
  strongTag,
} from "../exchange.ts";
import { type RuleName, ruleName } from "../rules.ts";
import type { Request, Run } from "../run.ts";
import { type Exchange, type ExchangeRequest, fill, headersOf, plainTargetOf, usesTag, valueAt } from "./format.ts";
import { exchangesEverywhere, exchangesOf } from "./of-row.ts";

/** Sends the exchanges of all routes, and of unknown paths, whose rules belong to a family. */
export async function sendExchanges(run: Run, family: string): Promise<void> {
  const isWanted = ({ rule = "" }: Exchange) => rule.startsWith(`${family}/`);
  await run.eachRoute((route) => sendAll(run, exchangesOf(route).filter(isWanted), { route }));
  await run.guarded("unknown paths", () => sendAll(run, exchangesEverywhere().filter(isWanted), {}));
}

/** All requests of an exchange share the response to the plain GET. */
export async function sendAll(run: Run, exchanges: readonly Exchange[], place: Place): Promise<void> {
  for (const exchange of exchanges) {
    let plain: Reply | undefined;
    for (const request of exchange.requests) {
      for (const headers of headersOf(exchange)) {
        plain = await sendOne(run, { exchange, request, headers, place }, plain);
      }
    }
  }
}

interface Sending {
  readonly exchange: Exchange;
  readonly request: ExchangeRequest;
  readonly headers: Readonly<Record<string, string>>;
  readonly place: Place;
}

/** Attempts to compare two responses, one of which changes meanwhile. */
const CHANGE_LIMIT = 4;
/** An exchange's three pauses together exceed the time that a cache may keep a response. */
const MS_PER_EDGE_SECOND = 500;

/** Returns the response to the plain GET. */
async function sendOne(run: Run, sending: Sending, known: Reply | undefined): Promise<Reply | undefined> {
  const { exchange, request, headers, place } = sending;
  const rule = ruleName(exchange.rule ?? "");
  const filling = { unique: run.environment.unique(), installationId: encodeURIComponent(run.installationId) };
  const target = fill(request.target, filling);
  const plainTarget = fill(plainTargetOf(exchange, request), filling);
  const needsPlain = exchange.status === 0 || exchange.status === 304;
  let plain = known;
  for (let moves = 0; ; moves++) {
    if (needsPlain && (plain === undefined || moves > 0)) plain = await run.ask({ ...place, target: plainTarget });
    const tag = /^"(.*)"$/.exec((plain && header(plain, "etag")) ?? "")?.[1];
    const isRefused = exchange.status === 304 && plain !== undefined && plain.status !== 200;
    if (isRefused || (tag === undefined && usesTag(exchange))) {
      run.skip(rule, `GET ${plainTarget} is ${plain?.status} ${tag === undefined ? "without a strong ETag" : ""}`);
      return plain;
    }
    const filled = Object.entries(headers).map(([name, value]) => [name, fill(value, { ...filling, tag })]);
    const sent = { method: request.method, target, headers: Object.fromEntries(filled) as Record<string, string> };
    const reply = await run.ask({ ...place, ...sent });
    if (moves < CHANGE_LIMIT && plain !== undefined && hasMoved(plain, reply, exchange)) {
      // A front may pass this request on and serve the plain GET from its cache, up to edgeSeconds older.
      const { edgeSeconds = 0 } = place.route ?? place.file ?? {};
      if (moves > 0) await run.environment.pause(edgeSeconds * MS_PER_EDGE_SECOND);
      continue;
    }
    judgeReply(run, { exchange, place, rule, target, request: requestText(sent), plain, reply });
    return plain;
  }
}

function hasMoved(plain: Reply, reply: Reply, { as }: Exchange): boolean {
  if (as !== undefined && plain.status !== reply.status) return true;
  const tags = [plain, reply].map((one) => strongTag(header(one, "etag") ?? ""));
  return (reply.status === 200 || reply.status === 304) && tags[0] !== "" && tags[1] !== "" && tags[0] !== tags[1];
}

interface Replied extends Pick<Sending, "exchange" | "place"> {
  readonly rule: RuleName;
  readonly target: string;
  readonly request: string;
  readonly plain: Reply | undefined;
  readonly reply: Reply;
}

/** Compares a response with its exchange: status, headers, values, and the whole body of a 200. */
function judgeReply(run: Run, replied: Replied): void {
  const { exchange, place, rule, target, request, plain, reply } = replied;
  const check = run.on(request);
  const status = exchange.status === 0 ? (plain?.status ?? 0) : exchange.status;
  const isError = exchange.body !== undefined && "text" in exchange.body;
  const code = isError ? String(fieldsOf(JSON.parse(exchange.body.text)).error) : undefined;
  const isExpected = reply.status === status && (code === undefined || errorCode(reply) === code);
  const seen = `${seenReply(reply)}, ETag ${header(reply, "etag") ?? "none"}, Age ${header(reply, "age") ?? "none"}`;
  if (!check(rule, isExpected, `${status} ${code ?? ""}`.trim(), seen)) return;
  for (const [name, value] of Object.entries(exchange.headers)) {
    const wanted = value === "{plain}" ? plain && header(plain, name) : value;
    const holds = sameList(header(reply, name), wanted);
    check(rule, holds, `${name}: ${wanted} on the ${status}`, header(reply, name) ?? "none");
  }
  for (const { path, json } of exchange.values) {
    const value = JSON.stringify(valueAt(jsonOf(reply), path));
    check(rule, value === json, `${path} ${json}`, String(value));
  }
  if (reply.status !== 200 || place.route === undefined) return;
  const asked = { route: place.route, target, configuredId: run.configuredId };
  if (judgeGood(check, asked, reply)) judgeFirst(run, replied);
}

interface Item {
  readonly cursor: string;
}

/** Judges a `first` exchange. The history may have grown since the plain GET. */
function judgeFirst(run: Run, { exchange, rule, request, plain, reply }: Replied): void {
  if (exchange.first === undefined || plain?.status !== 200) return;
  const { count, name } = exchange.first;
  const [whole = [], items = []] = [plain, reply].map((one) => valueAt(jsonOf(one), name) as Item[] | undefined);
  const holds =
    items.length >= Math.min(count, whole.length) &&
    items.length <= count &&
    whole.every((item, index) => index >= items.length || item.cursor === items[index]?.cursor) &&
    (whole.length <= items.length || valueAt(jsonOf(reply), "nextCursor") !== null);
  const expected = `the first ${count} ${name}, and a nextCursor if there are more`;
  run.on(request)(rule, holds, expected, `${items.length} from cursor ${items[0]?.cursor ?? "none"} on`);
}

/** True if both lists have the same members, in any order and letter case. */
function sameList(value: string | undefined, wanted: string | undefined): boolean {
  const members = (text = "") => listMembers(text.toLowerCase()).toSorted().join();
  return (value === undefined) === (wanted === undefined) && members(value) === members(wanted);
}

export async function judgeHeads(run: Run): Promise<void> {
  await run.eachSubject(async (subject) => {
    const { route, target } = subject;
    await expectHeadAsGet(run, subject);
    if (route.queryError !== null) await expectHeadAsGet(run, run.subject(route, "cursor=!"));
    const any = { route, target, headers: { "if-none-match": "*" } };
    const got = await run.ask(any);
    const head = await run.ask({ ...any, method: "HEAD" });
    const check = run.on(`HEAD ${target} with If-None-Match: *`);
    check("method/head", head.status === got.status, `${got.status}, as to GET`, String(head.status));
  });
}

/** Headers that may differ between GET and HEAD, because they belong to the connection or to one request. */
const NOT_COMPARED =
  /^(?:date|age|connection|keep-alive|transfer-encoding|server|via|x-varnish|x-cache.*|cf-.*|x-served-by|x-timer|server-timing|alt-svc|nel|report-to|cache-status|x-request-id|x-amz-cf-.*|strict-transport-security)$/;

/** Repeats both requests if the response changed in between. */
export async function expectHeadAsGet(run: Run, asked: Request): Promise<void> {
  let found: string[] = [];
  for (let moves = 0; moves < CHANGE_LIMIT; moves++) {
    const got = await run.ask(asked);
    found = differences(got, await run.ask({ ...asked, method: "HEAD" }));
    if (found.length === 0) break;
  }
  run.on(`HEAD ${asked.target}`)("method/head", found.length === 0, "the response of GET", found.join("; "));
}

function differences(got: Reply, head: Reply): string[] {
  if (got.status !== head.status) return [`${seenReply(head)} in place of ${got.status} ${errorCode(got) ?? ""}`];
  const names = new Set([...got.headers.keys(), ...head.headers.keys()]);
  return (
    [...names]
      .filter((name) => !NOT_COMPARED.test(name) && header(got, name) !== header(head, name))
      // HEAD may lack Content-Length (RFC 9110, 9.3.2), and a GET that is sent in chunks lacks it.
      .filter((name) => name !== "content-length" || ![undefined, String(got.body.length)].includes(header(head, name)))
      .map((name) => `${name} ${shown(header(head, name))} in place of ${shown(header(got, name))}`)
  );
}
