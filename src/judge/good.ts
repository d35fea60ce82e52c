/** What a good answer says by itself: headers and their absence, body by the schema, and what the request asked for. */
import { FALLBACK_REASON_HEADER, SOURCE_HEADER } from "../http/common-headers.ts";
import { judgeBodyRules } from "./bodies.ts";
import { judgeClock } from "./clock.ts";
import { header, jsonOf, type Reply, textOf } from "./exchange.ts";
import { shown, type UrlSubject } from "./judged.ts";
import type { Checks } from "./report.ts";
import { family } from "./rule.ts";

const REASONS = ["indexer_disabled", "not_yet_safe", "indexer_unavailable", "indexer_mismatch"];

export const ANSWER = family("answer", {
  status: [
    "a good request is answered 200, the statistics' two 503s aside",
    "see that the publisher runs and that the front finds its origin; no cache may keep a 404 or 503",
  ],
  json: ["the body is JSON in UTF-8", "let the front pass the body as it is"],
  schema: ["the body is the resource's, field by field, and nothing besides", "publish exactly the resource's fields"],
  "field-rules": [
    "the rules between the body's fields hold",
    "see what was published last; a mixture of two answers breaks them too",
  ],
  "asked-for": [
    "range, category, limit and installation are those that were asked for",
    "put the whole path and query into the cache key",
  ],
  "cache-control": [
    "Cache-Control is the route's, or absent where it sets none",
    "let the front put back the client's Cache-Control; its own lifetime belongs elsewhere",
  ],
  etag: [
    "ETag is a strong tag of the revision where the route has one, and absent elsewhere",
    "let the front pass the origin's ETag as it is and drop the storage's",
  ],
  source: [
    "the settlements name their source, and why where it is the durable cache; nobody else does",
    "let the front pass the X-Service-Settlement headers, on the settlements alone",
  ],
});

/** Whose answers are judged. */
export interface Asking extends Checks {
  /** Whose history is read, and so in the path. */
  readonly installationId: string;
  /** Of every other path, if it is known. */
  readonly configuredId: string | undefined;
}

/** Everything that can be said of a 200 by itself; whether the body has the resource's shape, and can be read on. */
export function judgeGood(run: Asking, subject: UrlSubject, reply: Reply): boolean {
  judgePlain(run, subject, reply);
  const body = jsonOf(reply);
  if (body === undefined || !judgeBody(run, subject, body)) return false;
  judgeAskedFor(run, subject, body as Record<string, unknown>);
  judgeClock(run, subject, reply);
  return true;
}

/** The body by its schema, and by the rules that no schema says. Gives whether it has the resource's shape. */
export function judgeBody(run: Checks, subject: UrlSubject, body: unknown): boolean {
  if (!judgeSchema(run, subject, body)) return false;
  judgeBodyRules(run, subject, body as Record<string, unknown>);
  return true;
}

function judgeSchema(run: Checks, { route, target }: UrlSubject, body: unknown): boolean {
  const complaints = route.complaints(body);
  const [wrong, broken] = [complaints.filter((one) => !one.crossField), complaints.filter((one) => one.crossField)];
  for (const [rule, issues] of [
    [ANSWER.schema, wrong],
    [ANSWER["field-rules"], broken],
  ] as const) {
    run.check(rule, route, issues.length === 0, () => ({
      expected: `in the body of GET ${target}: ${issues.map((issue) => `${issue.path.join(".") || "the whole"}: ${issue.message}`).join("; ")}`,
      saw: valueAt(body, issues[0]?.path ?? []),
    }));
  }
  return wrong.length === 0;
}

/** What a 200 says without a look into its body's fields. */
export function judgePlain(run: Checks, { route, target }: UrlSubject, reply: Reply): void {
  run.check(ANSWER.json, route, jsonOf(reply) !== undefined, () => ({
    expected: `JSON in UTF-8 from GET ${target}`,
    saw: (textOf(reply) ?? "no UTF-8").slice(0, 80),
  }));
  const cacheControl = header(reply, "cache-control");
  run.check(ANSWER["cache-control"], route, cacheControl === (route.cacheControl ?? undefined), () => ({
    expected: `Cache-Control ${route.cacheControl ?? "absent"} on GET ${target}`,
    saw: shown(cacheControl),
  }));
  const tag = header(reply, "etag");
  const wanted = wantedTag(route.hasTag, jsonOf(reply));
  const fits = wanted === undefined ? tag === undefined : wanted === ANY_TAG ? isStrong(tag) : tag === wanted;
  run.check(ANSWER.etag, route, fits, () => ({
    expected: `ETag ${wanted ?? "absent"} on GET ${target}`,
    saw: shown(tag),
  }));
  judgeSource(run, { route, target, query: "" }, reply);
}

export function judgeSource(run: Checks, { route, target }: UrlSubject, reply: Reply): void {
  const source = header(reply, SOURCE_HEADER);
  const reason = header(reply, FALLBACK_REASON_HEADER);
  const status = (jsonOf(reply) as { status?: unknown } | undefined)?.status;
  const holds = route.sourceHeaders
    ? (reply.status === 304 ? ["live", "durable-cache", "unavailable"] : sourcesOf(status)).includes(source ?? "") &&
      (source === "durable-cache" ? REASONS.includes(reason ?? "") : reason === undefined)
    : source === undefined && reason === undefined;
  run.check(ANSWER.source, route, holds, () => ({
    expected: route.sourceHeaders
      ? `X-Service-Settlement-Source ${sourcesOf(status).join(" or ")}, a Fallback-Reason with durable-cache alone, on the ${reply.status} to GET ${target}`
      : `no X-Service-Settlement header on the ${reply.status} to GET ${target}`,
    saw: `source ${shown(source)}, reason ${shown(reason)}`,
  }));
}

function sourcesOf(status: unknown): string[] {
  return status === "unavailable" ? ["unavailable"] : ["live", "durable-cache"];
}

const ANY_TAG = '"<revision>"';

/** Where the body names its revision it is the tag. */
function wantedTag(hasTag: boolean, body: unknown): string | undefined {
  if (!hasTag) return undefined;
  const revision = (body as { revision?: unknown } | undefined)?.revision;
  if (revision === null) return undefined;
  return typeof revision === "string" ? `"${revision}"` : ANY_TAG;
}

function isStrong(tag: string | undefined): boolean {
  return tag !== undefined && /^"[\x21\x23-\x7e]+"$/.test(tag);
}

function judgeAskedFor(run: Asking, { route, target, query }: UrlSubject, body: Record<string, unknown>): void {
  const id = route.path.includes("{installationId}") ? run.installationId : (run.configuredId ?? body.installationId);
  const wanted: Record<string, unknown> = { installationId: id };
  const range = parameter(query, "range");
  if (range !== undefined) wanted.range = range;
  if (route.query === "activity" && body.status === "available")
    wanted.category = parameter(query, "category") ?? "all";
  for (const [name, value] of Object.entries(wanted)) {
    run.check(ANSWER["asked-for"], route, body[name] === value, () => ({
      expected: `${name} ${String(value)} in the body of GET ${target}`,
      saw: String(body[name]),
    }));
  }
  const hasProjection = "queueProjection" in body;
  run.check(ANSWER["asked-for"], route, !hasProjection || parameter(query, "queue") === "1", () => ({
    expected: `no queueProjection in the body of GET ${target}`,
    saw: "one",
  }));
}

function valueAt(body: unknown, path: readonly PropertyKey[]): string {
  let value = body;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
  return value === undefined ? "nothing there" : JSON.stringify(value).slice(0, 120);
}

/** The value of a plain query's parameter. */
export function parameter(query: string, name: string): string | undefined {
  return new URLSearchParams(query).get(name) ?? undefined;
}
