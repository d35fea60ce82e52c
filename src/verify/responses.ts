/** Checks the good response of each route to every accepted query, by GET and HEAD. */
import { errorCode, seen } from "../judge/errors.ts";
import { header, type Reply, shown, type UrlSubject } from "../judge/exchange.ts";
import { subjectOf } from "../judge/files.ts";
import { GOOD_RESPONSE, judgeGood } from "../judge/good.ts";
import { EVERY_PATH } from "../judge/report.ts";
import { ask, eachSubject, type JudgedRequest, pathOf } from "./ask.ts";
import { HEAD } from "./rules.ts";
import type { Run } from "./run.ts";

export async function judgeResponses(run: Run): Promise<void> {
  await eachSubject(run, (subject) => judgeSubject(run, subject));
}

async function judgeSubject(run: Run, subject: UrlSubject): Promise<void> {
  const { route, target } = subject;
  const reply = await ask(run, { route, target });
  if (reply.status === 503 && route.name === "statistics" && route.unavailable.includes(errorCode(reply) ?? "")) {
    run.skip(GOOD_RESPONSE.status, `GET ${target} is ${seen(reply)}, which the API allows`);
    return;
  }
  run.check(GOOD_RESPONSE.status, route, reply.status === 200, () => ({
    expected: `200 to GET ${target}`,
    saw: seen(reply),
  }));
  if (reply.status === 200) judgeGood(run, subject, reply);
}

/** Headers that may differ between GET and HEAD, because they belong to the connection or to one request. */
const NOT_COMPARED =
  /^(?:date|age|connection|keep-alive|transfer-encoding|server|via|x-varnish|x-cache.*|cf-.*|x-served-by|x-timer|server-timing|alt-svc|nel|report-to|cache-status|x-request-id|x-amz-cf-.*|strict-transport-security)$/;
/** Attempts to compare a HEAD with a response that changes. */
const CHANGE_LIMIT = 4;

export async function judgeHeads(run: Run): Promise<void> {
  await eachSubject(run, async ({ route, target }) => {
    await expectHeadAsGet(run, { route, target });
    if (route.queryError !== null) await expectHeadAsGet(run, { route, target: `${pathOf(run, route)}?cursor=!` });
    const any = { route, target, headers: { "if-none-match": "*" } };
    const got = await ask(run, any);
    const head = await ask(run, { ...any, method: "HEAD" });
    run.check(HEAD["head-not-modified"], route, head.status === got.status, () => ({
      expected: `${got.status} to HEAD ${target} with If-None-Match: *, as to GET`,
      saw: String(head.status),
    }));
  });
}

/** Repeats both requests if the response changed in between. */
export async function expectHeadAsGet(run: Run, asked: JudgedRequest): Promise<void> {
  let difference: string[] = [];
  for (let moves = 0; moves < CHANGE_LIMIT; moves++) {
    const got = await ask(run, asked);
    difference = differences(got, await ask(run, { ...asked, method: "HEAD" }));
    if (difference.length === 0) break;
  }
  const subject = asked.route ?? (asked.file && subjectOf(asked.file)) ?? EVERY_PATH;
  run.check(HEAD.head, subject, difference.length === 0, () => ({
    expected: `HEAD ${asked.target} as GET`,
    saw: difference.join("; "),
  }));
}

function differences(got: Reply, head: Reply): string[] {
  if (got.status !== head.status) return [`${seen(head)} in place of ${got.status} ${errorCode(got) ?? ""}`.trim()];
  const names = [...new Set([...got.headers.keys(), ...head.headers.keys()])].filter(
    (name) => !NOT_COMPARED.test(name),
  );
  return (
    names
      .filter((name) => header(got, name) !== header(head, name))
      // HEAD may lack Content-Length (RFC 9110, 9.3.2), and a GET that is sent in chunks lacks it.
      .filter((name) => name !== "content-length" || ![undefined, String(got.body.length)].includes(header(head, name)))
      .map((name) => `${name} ${shown(header(head, name))} in place of ${shown(header(got, name))}`)
  );
}
