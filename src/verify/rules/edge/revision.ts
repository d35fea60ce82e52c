/** One revision is one sequence of bytes, `generatedAt` aside: held over every answer of a run. */
import { header, textOf } from "../../../judge/exchange.ts";
import { asked, type Judged } from "../../../judge/judged.ts";
import { family } from "../../../judge/rule.ts";
import type { Run } from "../../run.ts";

export const REVISION = family("revision", {
  bytes: [
    "one ETag is one sequence of bytes, generatedAt aside",
    "make the tag of everything in the body but generatedAt; let the front compute none of its own",
  ],
});

const GENERATED_AT = '"generatedAt":"';

export function judgeRevision(judged: Judged & { readonly run: Run }): void {
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
      expected: `the body of before under ETag ${tag} in the answer to ${asked(judged)}`,
      saw: differenceOf(known, body),
    }));
  }
}

/** A tag without the sign of weakness. */
export function opaque(tag: string): string {
  return tag.startsWith("W/") ? tag.slice(2) : tag;
}

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
