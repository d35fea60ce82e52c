/** If-None-Match: which forms match where it is evaluated, what a 304 carries, and that the other routes never give one. */

import { header, type Reply } from "../../../judge/exchange.ts";
import { judgeSource } from "../../../judge/good.ts";
import type { UrlSubject } from "../../../judge/judged.ts";
import { shown } from "../../../judge/judged.ts";
import { family, type Rule } from "../../../judge/rule.ts";
import type { Run } from "../../run.ts";
import { allSubjects } from "../../subjects.ts";
import { ask } from "../ask.ts";
import { each } from "../guarded.ts";

const EVALUATE = "evaluate If-None-Match by weak comparison over the whole list, in the front and behind it";

export const NOT_MODIFIED = family("not-modified", {
  exact: ["the exact tag is answered 304", EVALUATE],
  weak: ["the weak form of the tag is answered 304", EVALUATE],
  list: ["a list with the tag in it is answered 304", EVALUATE],
  any: ["* is answered 304", EVALUATE],
  dated: [
    "the exact tag is answered 304 beside If-Modified-Since too",
    "ignore If-Modified-Since if If-None-Match is present (RFC 9110, 13.1.3), in the front and behind it",
  ],
  other: ["another tag is answered 200 with the whole body", "compare whole tags, and only the current one's"],
  headers: [
    "a 304 carries the Cache-Control and, but for the settlements', the ETag of its 200",
    "let the front send the origin's headers on a 304, the settlements' ETag aside",
  ],
  never: [
    "telemetry, modules, observations, onchain and activity are never 304",
    "strip If-None-Match and If-Modified-Since before the cache and towards the storage",
  ],
});

/** A tag that nobody gives. */
const OTHER = '"noonmark-verify"';
const MOVED_AT_MOST = 4;

interface Form {
  readonly rule: Rule;
  readonly written: (tag: string) => string;
  /** A date that the request also carries. undici's cache always sends both. */
  readonly modifiedSince?: string;
}

const MATCHING: readonly Form[] = [
  { rule: NOT_MODIFIED.exact, written: (tag) => tag },
  { rule: NOT_MODIFIED.weak, written: (tag) => `W/${tag}` },
  { rule: NOT_MODIFIED.list, written: (tag) => `${OTHER}, ${tag}` },
  { rule: NOT_MODIFIED.list, written: (tag) => `${tag}, ${OTHER}` },
  { rule: NOT_MODIFIED.list, written: (tag) => `${OTHER},W/${tag} , "x"` },
  { rule: NOT_MODIFIED.any, written: () => "*" },
  { rule: NOT_MODIFIED.dated, written: (tag) => tag, modifiedSince: "Thu, 01 Jan 1970 00:00:00 GMT" },
  { rule: NOT_MODIFIED.dated, written: (tag) => tag, modifiedSince: "Fri, 31 Dec 9999 23:59:59 GMT" },
];
const OTHERS: readonly Form["written"][] = [
  () => OTHER,
  () => `W/${OTHER}`,
  () => `${OTHER}, "x"`,
  (tag) => `${tag.slice(0, -1)}-x"`,
];

export async function judgeNotModified(run: Run): Promise<void> {
  await each(run, allSubjects(run), {
    of: ({ route }) => route,
    checks: (subject) => (subject.route.conditional ? conditional(run, subject) : unconditional(run, subject)),
  });
}

async function conditional(run: Run, subject: UrlSubject): Promise<void> {
  for (const form of MATCHING) await expectNotModified(run, subject, form);
  for (const written of OTHERS) {
    const asked = await withCurrentTag(run, subject, { written });
    if (asked === undefined) return;
    run.check(NOT_MODIFIED.other, subject.route, asked.reply.status === 200, () => ({
      expected: `200 to GET ${subject.target} with If-None-Match: ${asked.field}`,
      saw: String(asked.reply.status),
    }));
  }
}

async function expectNotModified(run: Run, subject: UrlSubject, form: Form): Promise<void> {
  const { route, target } = subject;
  const asked = await withCurrentTag(run, subject, form);
  if (asked === undefined) return;
  const { tag, field, reply } = asked;
  run.check(form.rule, route, reply.status === 304, () => ({
    expected: `304 to GET ${target} with If-None-Match: ${field}${form.modifiedSince === undefined ? "" : ` and If-Modified-Since: ${form.modifiedSince}`}`,
    saw: String(reply.status),
  }));
  if (reply.status !== 304) return;
  const got = header(reply, "etag");
  const wanted = route.notModifiedTag ? tag : undefined;
  run.check(NOT_MODIFIED.headers, route, got === wanted, () => ({
    expected: `ETag ${wanted ?? "absent"} on the 304 to GET ${target} with If-None-Match: ${field}`,
    saw: shown(got),
    ...(route.notModifiedTag ? {} : { mend: "drop the ETag from the settlements' 304, in the front too" }),
  }));
  const cacheControl = header(reply, "cache-control");
  run.check(NOT_MODIFIED.headers, route, cacheControl === (route.cacheControl ?? undefined), () => ({
    expected: `Cache-Control ${route.cacheControl ?? "absent"} on the 304 to GET ${target} with If-None-Match: ${field}`,
    saw: shown(cacheControl),
  }));
  judgeSource(run, subject, reply);
}

interface Asked {
  readonly tag: string;
  readonly field: string;
  readonly reply: Reply;
}

/** Reads the tag and asks with it; again where the answer has moved on in between. Undefined without a tag to ask with. */
async function withCurrentTag(
  run: Run,
  { route, target }: UrlSubject,
  { written, modifiedSince }: Omit<Form, "rule">,
): Promise<Asked | undefined> {
  const dated = modifiedSince === undefined ? {} : { "if-modified-since": modifiedSince };
  for (let moves = 0; ; moves++) {
    const tag = header(await ask(run, { route, target }), "etag");
    if (tag === undefined || !tag.startsWith('"')) {
      run.skip(NOT_MODIFIED.exact, `GET ${target} gave no strong ETag to ask with`);
      return undefined;
    }
    const field = written(tag);
    const reply = await ask(run, { route, target, headers: { ...dated, "if-none-match": field } });
    const now = header(reply, "etag");
    // A 304 to * carries the tag of now.
    const hasMoved = (reply.status === 200 || reply.status === 304) && now !== undefined && now !== tag;
    if (!hasMoved || moves === MOVED_AT_MOST) return { tag, field, reply };
  }
}

async function unconditional(run: Run, { route, target }: UrlSubject): Promise<void> {
  const tag = header(await ask(run, { route, target }), "etag");
  for (const field of ["*", ...(tag === undefined ? [] : [tag, `W/${tag.replace(/^W\//, "")}`])]) {
    const reply = await ask(run, { route, target, headers: { "if-none-match": field } });
    run.check(NOT_MODIFIED.never, route, reply.status === 200 && reply.body.length > 0, () => ({
      expected: `200 with its body to GET ${target} with If-None-Match: ${field}`,
      saw: String(reply.status),
    }));
  }
}
