/** Sends the requests of the rules and judges every response. A request without a response ends only its own group. */
import { createHash } from "node:crypto";
import type { RouteContract } from "../judge/contract.ts";
import {
  CutOff,
  header,
  type Judged,
  NoResponse,
  type Reply,
  requestText,
  strongTag,
  textOf,
  type UrlSubject,
} from "../judge/exchange.ts";
import { subjectOf } from "../judge/files.ts";
import { judgeExchange } from "../judge/judge.ts";
import { EVERY_PATH, type Subject } from "../judge/report.ts";
import type { NamedFile } from "../resources/table.ts";
import { EXCHANGE, REVISION } from "./rules.ts";
import type { Run } from "./run.ts";

/** Returns a route's path; for a route by id, that of the installation whose history is read. */
export function pathOf(run: Run, route: RouteContract): string {
  return route.path.replace("{installationId}", encodeURIComponent(run.installationId));
}

export function targetOf(run: Run, route: RouteContract, query: string): string {
  return `${pathOf(run, route)}${query === "" ? "" : `?${query}`}`;
}

/** A URL that should get a 200. */
export interface PlainSubject extends UrlSubject {
  /** The text after the `?`; may be empty. */
  readonly query: string;
}

/** Returns every accepted query of every route in its canonical form; for paged routes, those of the first page. */
function allSubjects(run: Run): PlainSubject[] {
  return run.routes.flatMap((route) =>
    route.queries.map((query) => ({ route, query, target: targetOf(run, route, query) })),
  );
}

export interface JudgedRequest {
  /** Absent if the path matches no route. */
  readonly route?: RouteContract | undefined;
  readonly file?: NamedFile | undefined;
  readonly target: string;
  /** GET by default. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function ask(
  run: Run,
  { route, file, target, method = "GET", headers = {} }: JudgedRequest,
): Promise<Reply> {
  // Without this header a cache may respond with an encoded body.
  const sent = { method, target, headers: { "accept-encoding": "identity", ...headers } };
  const reply = await run.environment.send(sent);
  const exchange = { run, route, file, subject: route ?? (file && subjectOf(file)) ?? EVERY_PATH, sent, reply };
  judgeExchange(exchange);
  judgeRevision(exchange);
  return reply;
}

/** Runs a group of checks. A request without a response ends the group and becomes a finding. */
export async function guarded(run: Run, subject: Subject, checks: () => Promise<unknown>): Promise<void> {
  try {
    await checks();
    run.check(EXCHANGE.completes, subject, true, () => ({ expected: "", saw: "" }));
  } catch (error) {
    if (error instanceof CutOff) throw error;
    if (error instanceof NoResponse) {
      run.check(EXCHANGE.completes, subject, false, () => ({ expected: "a response", saw: error.message }));
    } else {
      // A deployment may send what no rule expects. Earlier findings are kept.
      run.check(EXCHANGE.judged, subject, false, () => ({
        expected: "a response that the rule can judge",
        saw: String(error),
      }));
    }
  }
}

/** Runs the checks of all URLs concurrently. The connection limits the rate. */
export async function eachSubject(run: Run, checks: (subject: PlainSubject) => Promise<unknown>): Promise<void> {
  await Promise.all(allSubjects(run).map((subject) => guarded(run, subject.route, () => checks(subject))));
}

/** Runs the checks of all routes concurrently. */
export async function eachRoute(run: Run, checks: (route: RouteContract) => Promise<unknown>): Promise<void> {
  await Promise.all(run.routes.map((route) => guarded(run, route, () => checks(route))));
}

/** Responses with the same tag must have the same body, except for `generatedAt` and telemetry's status. */
function judgeRevision(judged: Judged & { readonly run: Run }): void {
  const { run, route, subject, sent, reply } = judged;
  const tag = header(reply, "etag");
  const text = textOf(reply);
  if (route === undefined || reply.status !== 200 || tag === undefined || text === undefined) return;
  if (sent.method !== "GET") return;
  const key = hashOf(`${sent.target} ${strongTag(tag)}`);
  const body = hashOf(comparableText(text));
  const known = run.bodiesByTag.get(key);
  if (known === undefined) run.bodiesByTag.set(run.keep(key), run.keep(body));
  else {
    run.check(REVISION.bytes, subject, known === body, () => ({
      expected: `the earlier body of ETag ${tag} in the response to ${requestText(judged)}`,
      saw: `another body: ${comparableText(text)}`,
    }));
  }
}

const GENERATED_AT = '"generatedAt":"';

/**
 * Telemetry's tag identifies the receipt, so it stays when `online` turns `stale` (docs/spec/api.md#telemetry rule 4).
 */
const AGEING_STATUS = /"status":"(?:online|stale)"/;

/** Returns a body without the parts that may differ under the same tag. */
export function comparableText(text: string): string {
  const start = text.indexOf(GENERATED_AT);
  const end = start === -1 ? -1 : text.indexOf('"', start + GENERATED_AT.length);
  const undated = end === -1 ? text : text.slice(0, start + GENERATED_AT.length) + text.slice(end);
  return undated.replace(AGEING_STATUS, "");
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
