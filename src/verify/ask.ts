/** How rules ask: what is asked of whom, every response judged by itself, and no rule lost because another gets no response. */
import type { RouteContract } from "../judge/contract.ts";
import { asked, header, type Judged, type Reply, textOf, Unanswered, type UrlSubject } from "../judge/exchange.ts";
import { subjectOf } from "../judge/files.ts";
import { judgeExchange } from "../judge/judge.ts";
import { EVERY_PATH, type Subject } from "../judge/report.ts";
import type { NamedFile } from "../resources/table.ts";
import { EXCHANGE, REVISION } from "./rules.ts";
import type { Run } from "./run.ts";

/** The path of a route, of the installation whose history is read if it names one. */
export function pathOf(run: Run, route: RouteContract): string {
  return route.path.replace("{installationId}", encodeURIComponent(run.installationId));
}

export function targetOf(run: Run, route: RouteContract, query: string): string {
  return `${pathOf(run, route)}${query === "" ? "" : `?${query}`}`;
}

/** A URL that gets 200, by its query. */
export interface PlainSubject extends UrlSubject {
  /** Behind the `?`; "" for nothing. */
  readonly query: string;
}

/** Every accepted query of every route in its plain form, the pages by their first. */
export function allSubjects(run: Run): PlainSubject[] {
  return run.routes.flatMap((route) =>
    route.queries.map((query) => ({ route, query, target: targetOf(run, route, query) })),
  );
}

export interface Asked {
  /** Absent for a path of no route. */
  readonly route?: RouteContract | undefined;
  readonly file?: NamedFile | undefined;
  readonly target: string;
  /** GET if absent. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function ask(run: Run, { route, file, target, method = "GET", headers = {} }: Asked): Promise<Reply> {
  // A response in its plain form, whatever a cache has stored.
  const sent = { method, target, headers: { "accept-encoding": "identity", ...headers } };
  const reply = await run.environment.send(sent);
  const exchange = { run, route, file, subject: route ?? (file && subjectOf(file)) ?? EVERY_PATH, sent, reply };
  judgeExchange(exchange);
  judgeRevision(exchange);
  return reply;
}

/** Runs a group of checks; a request without a response ends the group with a finding. */
export async function guarded(run: Run, subject: Subject, checks: () => Promise<void>): Promise<void> {
  try {
    await checks();
    run.check(EXCHANGE.completes, subject, true, () => ({ expected: "", saw: "" }));
  } catch (error) {
    if (error instanceof Unanswered) {
      run.check(EXCHANGE.completes, subject, false, () => ({ expected: "a response", saw: error.message }));
    } else {
      // Earlier findings stay: a deployment may send something that no rule foresees.
      run.check(EXCHANGE.judged, subject, false, () => ({ expected: "what a rule can judge", saw: String(error) }));
    }
  }
}

/** Side by side; the pace is held elsewhere. */
export async function each<T>(
  run: Run,
  items: readonly T[],
  of: (item: T) => Subject,
  checks: (item: T) => Promise<void>,
) {
  await Promise.all(items.map((item) => guarded(run, of(item), () => checks(item))));
}

/** One revision is one sequence of bytes, `generatedAt` aside: held over every response of a run. */
function judgeRevision(judged: Judged & { readonly run: Run }): void {
  const { run, route, subject, sent, reply } = judged;
  const tag = header(reply, "etag");
  const text = textOf(reply);
  if (route === undefined || reply.status !== 200 || tag === undefined || text === undefined) return;
  if (sent.method !== "GET") return;
  const key = `${sent.target} ${opaque(tag)}`;
  const body = essence(text);
  const known = run.bodiesByTag.get(key);
  if (known === undefined) run.bodiesByTag.set(key, body);
  else {
    run.check(REVISION.bytes, subject, known === body, () => ({
      expected: `the body of before under ETag ${tag} in the response to ${asked(judged)}`,
      saw: differenceOf(known, body),
    }));
  }
}

/** A tag without the sign of weakness. */
export function opaque(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}

const GENERATED_AT = '"generatedAt":"';

/** A body without the instant at which it was made. */
export function essence(text: string): string {
  const start = text.indexOf(GENERATED_AT);
  const end = start === -1 ? -1 : text.indexOf('"', start + GENERATED_AT.length);
  return end === -1 ? text : text.slice(0, start + GENERATED_AT.length) + text.slice(end);
}

function differenceOf(known: string, body: string): string {
  let at = 0;
  while (at < known.length && known[at] === body[at]) at++;
  const from = Math.max(0, at - 30);
  return `from character ${at} on …${body.slice(from, at + 40)}… in place of …${known.slice(from, at + 40)}…`;
}
