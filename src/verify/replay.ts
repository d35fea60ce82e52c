/** Sends the exchanges of each row and of unknown paths to the deployment, and judges the responses. */
import { judgeRefusal, seen } from "../judge/errors.ts";
import { header, jsonOf, type Reply, type Sent, strongTag } from "../judge/exchange.ts";
import {
  type Exchange,
  type ExchangeRequest,
  fill,
  headersOf,
  plainTargetOf,
  usesTag,
  valueAt,
} from "../judge/exchanges/format.ts";
import { exchangesEverywhere, exchangesOf } from "../judge/exchanges/of-row.ts";
import { exchangeRule } from "../judge/exchanges/rules.ts";
import { subjectOf } from "../judge/files.ts";
import { judgeGood } from "../judge/good.ts";
import { EVERY_PATH, type Rule, type Subject } from "../judge/report.ts";
import type { NamedFile } from "../resources/table.ts";
import { listMembers } from "../values/text.ts";
import { fieldsOf } from "../values/unknown.ts";
import { ask, eachRoute, guarded, type JudgedRequest } from "./ask.ts";
import type { Run } from "./run.ts";

/** The subject of an exchange: a route, a file, or neither. */
type Of = Pick<JudgedRequest, "route" | "file"> & { readonly subject: Subject };

/** Sends the exchanges whose rules belong to these families. */
export async function replay(run: Run, families: readonly string[]): Promise<void> {
  const isWanted = ({ rule }: Exchange) => families.includes(rule?.split("/")[0] ?? "");
  await eachRoute(run, (route) => replayAll(run, exchangesOf(route).filter(isWanted), { route, subject: route }));
  await guarded(run, EVERY_PATH, () => replayAll(run, exchangesEverywhere().filter(isWanted), { subject: EVERY_PATH }));
}

export async function replayFile(run: Run, file: NamedFile): Promise<void> {
  await replayAll(run, exchangesOf(file), { file, subject: subjectOf(file) });
}

async function replayAll(run: Run, exchanges: readonly Exchange[], of: Of): Promise<void> {
  for (const exchange of exchanges) {
    let plain: Reply | undefined;
    for (const request of exchange.requests) {
      for (const headers of headersOf(exchange)) {
        plain = await replayOne(run, { exchange, request, headers, of, plain });
      }
    }
  }
}

interface Replayed {
  readonly exchange: Exchange;
  readonly request: ExchangeRequest;
  readonly headers: Readonly<Record<string, string>>;
  readonly of: Of;
  /** The response to the plain GET, once known. All requests of an exchange share it. */
  readonly plain: Reply | undefined;
}

/** Attempts of an exchange whose response changes between the plain GET and the request. */
const CHANGE_LIMIT = 4;
/** An exchange's three pauses together exceed the time that a cache may keep a response. */
const MS_PER_EDGE_SECOND = 500;

/** Returns the response to the plain GET. */
async function replayOne(run: Run, { exchange, request, headers, of, ...known }: Replayed): Promise<Reply | undefined> {
  const rule = exchangeRule(exchange.rule ?? "");
  const filling = { unique: run.environment.unique(), installationId: encodeURIComponent(run.installationId) };
  const [target, plainTarget] = [request.target, plainTargetOf(exchange, request)].map((text) => fill(text, filling));
  const needsPlain = exchange.status === 0 || exchange.status === 304;
  let { plain } = known;
  for (let moves = 0; ; moves++) {
    if (needsPlain && (plain === undefined || moves > 0)) plain = await ask(run, { ...of, target: plainTarget ?? "" });
    const tag = /^"(.*)"$/.exec((plain && header(plain, "etag")) ?? "")?.[1];
    if (tag === undefined && usesTag(exchange)) {
      run.skip(rule, `GET ${plainTarget} gave no strong ETag to ask with`);
      return plain;
    }
    if (exchange.status === 304 && plain !== undefined && plain.status !== 200) {
      run.skip(rule, `GET ${plainTarget} is ${plain.status}; only a 200 can become a 304`);
      return plain;
    }
    const filled = Object.entries(headers).map(([name, value]) => [name, fill(value, { ...filling, tag })]);
    const sent = { method: request.method, target: target ?? "", headers: Object.fromEntries(filled) };
    const reply = await ask(run, { ...of, ...sent });
    if (moves < CHANGE_LIMIT && plain !== undefined && hasMoved(plain, reply, exchange)) {
      // A front may pass this request on and serve the plain GET from its cache, up to edgeSeconds older.
      if (moves > 0) await run.environment.pause(((of.route ?? of.file)?.edgeSeconds ?? 0) * MS_PER_EDGE_SECOND);
      continue;
    }
    judgeReply(run, { exchange, of, rule, sent, plain, reply });
    return plain;
  }
}

function hasMoved(plain: Reply, reply: Reply, { as }: Exchange): boolean {
  if (as !== undefined && plain.status !== reply.status) return true;
  const tags = [plain, reply].map((one) => strongTag(header(one, "etag") ?? ""));
  return (reply.status === 200 || reply.status === 304) && tags[0] !== "" && tags[1] !== "" && tags[0] !== tags[1];
}

interface Replied {
  readonly exchange: Exchange;
  readonly of: Of;
  readonly rule: Rule;
  readonly sent: Sent;
  readonly plain: Reply | undefined;
  readonly reply: Reply;
}

/** Compares a response with its exchange: status, headers, values, and the whole body of a 200. */
function judgeReply(run: Run, replied: Replied): void {
  const { exchange, of, rule, sent, plain, reply } = replied;
  const { route, subject } = of;
  const request = written(sent);
  const status = exchange.status === 0 ? (plain?.status ?? 0) : exchange.status;
  const isError = exchange.body !== undefined && "text" in exchange.body;
  const code = isError ? String(fieldsOf(JSON.parse(exchange.body.text)).error) : undefined;
  if (code !== undefined) return judgeRefusal({ run, rule, subject, request, reply }, status, code);
  const saw = `${seen(reply)}, ETag ${header(reply, "etag") ?? "none"}, Age ${header(reply, "age") ?? "none"}`;
  run.check(rule, subject, reply.status === status, () => ({ expected: `${status} to ${request}`, saw }));
  if (reply.status !== status) return;
  for (const [name, value] of Object.entries(exchange.headers)) {
    const wanted = value === "{plain}" ? plain && header(plain, name) : value;
    run.check(rule, subject, sameList(header(reply, name), wanted), () => ({
      expected: `${name}: ${wanted} on the ${status} to ${request}`,
      saw: header(reply, name) ?? "none",
    }));
  }
  for (const { path, json } of exchange.values) {
    const value = JSON.stringify(valueAt(jsonOf(reply), path));
    run.check(rule, subject, value === json, () => ({ expected: `${path} ${json} from ${request}`, saw: value }));
  }
  if (reply.status !== 200 || route === undefined) return;
  if (judgeGood(run, { route, target: sent.target }, reply)) judgeFirst(run, replied, request);
}

interface Item {
  readonly cursor: string;
}

/** Judges a `first` exchange. The history may have grown since the plain GET. */
function judgeFirst(run: Run, { exchange, of, rule, plain, reply }: Replied, request: string): void {
  if (exchange.first === undefined || plain?.status !== 200) return;
  const { count, name } = exchange.first;
  const [whole = [], items = []] = [plain, reply].map((one) => valueAt(jsonOf(one), name) as Item[] | undefined);
  const least = Math.min(count, whole.length);
  const holds =
    items.length >= least &&
    items.length <= count &&
    whole.every((item, index) => index >= items.length || item.cursor === items[index]?.cursor) &&
    (whole.length <= items.length || valueAt(jsonOf(reply), "nextCursor") !== null);
  run.check(rule, of.subject, holds, () => ({
    expected: `the first ${least === count ? count : `${least} to ${count}`} ${name} from ${request}, and a nextCursor if there are more`,
    saw: `${items.length} from cursor ${items[0]?.cursor ?? "none"} on`,
  }));
}

/** True if both lists have the same members, in any order and letter case. */
function sameList(value: string | undefined, wanted: string | undefined): boolean {
  const members = (text = "") => listMembers(text.toLowerCase()).toSorted().join();
  return (value === undefined) === (wanted === undefined) && members(value) === members(wanted);
}

const MAX_SHOWN = 200;

function written({ method, target, headers }: Sent): string {
  const shown = target.length > MAX_SHOWN ? `${target.slice(0, 120)}… (${target.length} characters)` : target;
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${shown}${lines.length === 0 ? "" : ` with ${lines.join(" and ")}`}`;
}
