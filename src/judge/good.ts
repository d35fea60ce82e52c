/** Rules of a good response: its headers, its body's schema, and the parameters of the request. */
import { FALLBACK_REASON_HEADER, SOURCE_HEADER } from "../http/common-headers.ts";
import { routeContract } from "../resources/contracts.ts";
import { matchPath } from "../resources/find.ts";
import { fieldsOf } from "../values/unknown.ts";
import { judgeBodyRules } from "./bodies.ts";
import { judgeClock } from "./clock.ts";
import { header, type Judged, jsonOf, type Reply, requestText, shown, textOf, type UrlSubject } from "./exchange.ts";
import { NOT_MODIFIED } from "./exchanges/rules.ts";
import { type Checks, family } from "./report.ts";

const REASONS = ["indexer_disabled", "not_yet_safe", "indexer_unavailable", "indexer_mismatch"];

export const GOOD_RESPONSE = family("answer", {
  status: [
    "a good request gets 200; only statistics may get one of their two 503s",
    "check that the publisher runs and that the front reaches its origin; no cache may keep a 404 or 503",
  ],
  json: ["the body is JSON in UTF-8", "let the front pass the body unchanged"],
  schema: ["the body has exactly the resource's fields", "publish exactly the resource's fields"],
  "field-rules": [
    "the rules between the body's fields hold",
    "check what was published last; a mixture of two responses breaks them, too",
  ],
  "asked-for": [
    "range, category, limit and installation are those of the request",
    "put the whole path and query into the cache key",
  ],
  "cache-control": [
    "Cache-Control is the route's, and absent if the route has none",
    "let the front send the origin's Cache-Control, and keep its own lifetime apart",
  ],
  etag: [
    "ETag is a strong tag of the revision if the route has one, and absent otherwise",
    "let the front pass the origin's ETag unchanged, and drop the storage's",
  ],
  source: [
    "the settlements name their source, and the reason if it is the durable cache; no other route does",
    "let the front pass the X-Service-Settlement headers, only on settlements",
  ],
});

/** A run that knows the configured installation. */
export interface Asking extends Checks {
  /** The installation of paths without an id; undefined if unknown. */
  readonly configuredId: string | undefined;
}

/** Judges a 200. Returns true if the body passes its schema, so that callers can read its fields. */
export function judgeGood(run: Asking, subject: UrlSubject, reply: Reply): boolean {
  judgePlain(run, subject, reply);
  const body = jsonOf(reply);
  if (body === undefined || !judgeBody(run, subject, body)) return false;
  judgeAskedFor(run, subject, fieldsOf(body));
  judgeClock(run, subject, reply);
  return true;
}

/** Judges a body by its schema, then by `judgeBodyRules`. Returns true if it passes the schema. */
export function judgeBody(run: Checks, subject: UrlSubject, body: unknown): boolean {
  if (!judgeSchema(run, subject, body)) return false;
  judgeBodyRules(run, subject, fieldsOf(body));
  return true;
}

function judgeSchema(run: Checks, { route, target }: UrlSubject, body: unknown): boolean {
  const complaints = route.complaints(body);
  const [wrong, broken] = [complaints.filter((one) => !one.crossField), complaints.filter((one) => one.crossField)];
  for (const [rule, issues] of [
    [GOOD_RESPONSE.schema, wrong],
    [GOOD_RESPONSE["field-rules"], broken],
  ] as const) {
    run.check(rule, route, issues.length === 0, () => ({
      expected: `in the body of GET ${target}: ${issues.map((issue) => `${issue.path.join(".") || "the whole"}: ${issue.message}`).join("; ")}`,
      saw: valueAt(body, issues[0]?.path ?? []),
    }));
  }
  return wrong.length === 0;
}

/** Judges a 200 except for its body's fields. */
export function judgePlain(run: Checks, { route, target }: UrlSubject, reply: Reply): void {
  run.check(GOOD_RESPONSE.json, route, jsonOf(reply) !== undefined, () => ({
    expected: `JSON in UTF-8 from GET ${target}`,
    saw: (textOf(reply) ?? "bytes that are not UTF-8").slice(0, 80),
  }));
  const cacheControl = header(reply, "cache-control");
  run.check(GOOD_RESPONSE["cache-control"], route, cacheControl === (route.cacheControl ?? undefined), () => ({
    expected: `Cache-Control ${route.cacheControl ?? "absent"} on GET ${target}`,
    saw: shown(cacheControl),
  }));
  const tag = header(reply, "etag");
  const wanted = wantedTag(route.etag, jsonOf(reply));
  const fits = wanted === undefined ? tag === undefined : wanted === ANY_TAG ? isStrong(tag) : tag === wanted;
  run.check(GOOD_RESPONSE.etag, route, fits, () => ({
    expected: `ETag ${wanted ?? "absent"} on GET ${target}`,
    saw: shown(tag),
  }));
  judgeSource(run, { route, target }, reply);
}

function judgeSource(run: Checks, { route, target }: UrlSubject, reply: Reply): void {
  const source = header(reply, SOURCE_HEADER);
  const reason = header(reply, FALLBACK_REASON_HEADER);
  const status = fieldsOf(jsonOf(reply)).status;
  const holds = route.sourceHeaders
    ? (reply.status === 304 ? ["live", "durable-cache", "unavailable"] : sourcesOf(status)).includes(source ?? "") &&
      (source === "durable-cache" ? REASONS.includes(reason ?? "") : reason === undefined)
    : source === undefined && reason === undefined;
  run.check(GOOD_RESPONSE.source, route, holds, () => ({
    expected: route.sourceHeaders
      ? `X-Service-Settlement-Source ${sourcesOf(status).join(" or ")}, a Fallback-Reason only with durable-cache, on the ${reply.status} to GET ${target}`
      : `no X-Service-Settlement header on the ${reply.status} to GET ${target}`,
    saw: `source ${shown(source)}, reason ${shown(reason)}`,
  }));
}

/**
 * Judges a 304. Only rows that evaluate If-None-Match have one; it has the 200's Cache-Control, and a tag if the row
 * says so.
 */
export function judgeNotModified(judged: Judged): void {
  const { run, route, file, subject, sent, reply } = judged;
  const row = route ?? file;
  if (reply.status !== 304 || row === undefined) return;
  run.check(NOT_MODIFIED.never, subject, row.conditional, () => ({
    expected: `no 304 to ${requestText(judged)}`,
    saw: "304",
  }));
  const tag = header(reply, "etag");
  run.check(NOT_MODIFIED.headers, subject, (tag !== undefined) === row.notModifiedTag, () => ({
    expected: `${row.notModifiedTag ? "the ETag" : "no ETag"} on the 304 to ${requestText(judged)}`,
    saw: shown(tag),
    ...(row.notModifiedTag ? {} : { fix: "drop the ETag from the settlements' 304, in the front too" }),
  }));
  const cacheControl = header(reply, "cache-control");
  run.check(GOOD_RESPONSE["cache-control"], subject, cacheControl === (row.cacheControl ?? undefined), () => ({
    expected: `Cache-Control ${row.cacheControl ?? "absent"} on the 304 to ${requestText(judged)}`,
    saw: shown(cacheControl),
  }));
  if (route !== undefined) judgeSource(run, { route, target: sent.target }, reply);
}

function sourcesOf(status: unknown): string[] {
  return status === "unavailable" ? ["unavailable"] : ["live", "durable-cache"];
}

const ANY_TAG = '"<revision>"';

/** Returns the expected tag. It equals the body's revision, if the body has one. */
function wantedTag(hasTag: boolean, body: unknown): string | undefined {
  if (!hasTag) return undefined;
  const revision = fieldsOf(body).revision;
  if (revision === null) return undefined;
  return typeof revision === "string" ? `"${revision}"` : ANY_TAG;
}

function isStrong(tag: string | undefined): boolean {
  return tag !== undefined && /^"[\x21\x23-\x7e]+"$/.test(tag);
}

function judgeAskedFor(run: Asking, { route, target }: UrlSubject, body: Record<string, unknown>): void {
  const id = matchPath(target.split("?", 1)[0] ?? "")?.installationId ?? run.configuredId ?? body.installationId;
  const wanted: Record<string, unknown> = { installationId: id };
  const isRead = route.query === "listed" || route.handler === "activity";
  const query = isRead ? target.slice(`${target}?`.indexOf("?") + 1) : "";
  const range = parameter(query, "range");
  if (range !== undefined) wanted.range = range;
  if (route.handler === "activity" && body.status === "available")
    wanted.category = parameter(query, "category") ?? "all";
  for (const [name, value] of Object.entries(wanted)) {
    run.check(GOOD_RESPONSE["asked-for"], route, body[name] === value, () => ({
      expected: `${name} ${String(value)} in the body of GET ${target}`,
      saw: String(body[name]),
    }));
  }
  const most = isRead ? pageSize(route, query) : undefined;
  const list = body.events ?? body.items;
  run.check(
    GOOD_RESPONSE["asked-for"],
    route,
    most === undefined || !Array.isArray(list) || list.length <= most,
    () => ({
      expected: `at most ${most} entries from GET ${target}`,
      saw: String(fieldsOf(list).length),
    }),
  );
  const hasProjection = "queueProjection" in body;
  run.check(GOOD_RESPONSE["asked-for"], route, !hasProjection || parameter(query, "queue") === "1", () => ({
    expected: `no queueProjection in the body of GET ${target}`,
    saw: "one",
  }));
}

/** Returns the maximum number of entries on a page, from the limit in its query. */
function pageSize({ name }: UrlSubject["route"], query: string): number | undefined {
  const limit = routeContract(name).parameters?.find((one) => one.name === "limit");
  if (limit === undefined || limit.form === "cursor" || limit.form.type !== "integer") return undefined;
  const written = parameter(query, "limit");
  return written === undefined ? limit.form.default : Number(written);
}

function valueAt(body: unknown, path: readonly PropertyKey[]): string {
  let value = body;
  for (const key of path) value = fieldsOf(value)[String(key)];
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, 120);
}

/** Returns the value of a query parameter. */
function parameter(query: string, name: string): string | undefined {
  return new URLSearchParams(query).get(name) ?? undefined;
}
