/** Methods: GET and HEAD are answered alike, OPTIONS is the preflight, everything else is 405. */

import { PREFLIGHT_HEADERS } from "../../../http/common-headers.ts";
import { ALLOW, errorCode, judgeRefusal, seen } from "../../../judge/errors.ts";
import { header, type Reply } from "../../../judge/exchange.ts";
import type { UrlSubject } from "../../../judge/judged.ts";
import { shown } from "../../../judge/judged.ts";
import type { Subject } from "../../../judge/report.ts";
import { EVERY_PATH } from "../../../judge/report.ts";
import { family } from "../../../judge/rule.ts";
import { listMembers } from "../../../values/text.ts";
import type { Run } from "../../run.ts";
import { allSubjects, pathOf } from "../../subjects.ts";
import { type Asked, ask } from "../ask.ts";
import { each, guarded } from "../guarded.ts";

const SPEC = "docs/spec/api.md#http";

const OWN = family("method", {
  refused: [
    "any method but GET, HEAD and OPTIONS is 405 method_not_allowed",
    "pass other methods to the origin, or answer as it does",
    SPEC,
  ],
  head: [
    "HEAD has the status and the headers of GET",
    "let the front answer HEAD from the GET that it keeps, Content-Length included",
    SPEC,
  ],
  "head-not-modified": [
    "HEAD with a matching If-None-Match is 304 where GET is",
    "evaluate If-None-Match for HEAD as for GET",
    SPEC,
  ],
  options: [
    "OPTIONS is 204 with the CORS headers, whatever the path",
    "let the front pass OPTIONS or answer 204 with the three Access-Control headers",
    SPEC,
  ],
});

export const METHOD = { ...OWN, allow: ALLOW };

const OTHER_METHODS = ["POST", "PUT", "FOO"];
/** Of the connection, not of the answer; Vary and Content-Encoding belong to what was asked for. */
const NOT_COMPARED =
  /^(?:date|age|connection|keep-alive|transfer-encoding|server|via|x-varnish|x-cache.*|cf-.*|x-served-by|x-timer|server-timing|alt-svc|nel|report-to|cache-status|x-request-id|x-amz-cf-.*|strict-transport-security)$/;
const PREFLIGHT = ["access-control-allow-methods", "access-control-allow-headers", "access-control-max-age"] as const;
const MOVED_AT_MOST = 4;

export async function judgeMethods(run: Run): Promise<void> {
  await each(run, run.routes, {
    of: (route) => route,
    checks: async (route) => {
      const asked = { route, target: pathOf(run, route) };
      for (const method of OTHER_METHODS) await expectRefused(run, { ...asked, method });
      await expectPreflight(run, asked, route);
      await expectPreflight(run, { route, target: `${asked.target}?a` }, route);
    },
  });
  await each(run, allSubjects(run), { of: ({ route }) => route, checks: (subject) => judgeHead(run, subject) });
  await guarded(run, EVERY_PATH, async () => {
    const target = `/${run.surroundings.unique()}`;
    await expectRefused(run, { target, method: "POST" });
    await expectPreflight(run, { target }, EVERY_PATH);
  });
}

async function expectRefused(run: Run, asked: Asked): Promise<void> {
  const subject = asked.route ?? EVERY_PATH;
  const reply = await ask(run, asked);
  const request = `${asked.method} ${asked.target}`;
  judgeRefusal({ run, rule: METHOD.refused, subject, request, reply, status: 405, code: "method_not_allowed" });
}

async function expectPreflight(run: Run, { route, target }: Asked, subject: Subject): Promise<void> {
  const headers = { origin: "https://reader.example", "access-control-request-method": "GET" };
  for (const sent of [{}, headers]) {
    const reply = await ask(run, { route, target, method: "OPTIONS", headers: sent });
    const wrong = PREFLIGHT.filter((name) => !sameList(header(reply, name), PREFLIGHT_HEADERS[name]));
    run.check(METHOD.options, subject, reply.status === 204 && wrong.length === 0, () => ({
      expected: `204 with ${(wrong.length === 0 ? PREFLIGHT : wrong).map((name) => `${name}: ${PREFLIGHT_HEADERS[name]}`).join(", ")} to OPTIONS ${target}`,
      saw: `${reply.status} with ${wrong.map((name) => `${name}: ${header(reply, name) ?? "none"}`).join(", ")}`,
    }));
  }
}

/** The same members in any order and letter case. */
function sameList(value: string | undefined, wanted: string): boolean {
  const members = (text: string) => listMembers(text.toLowerCase()).toSorted().join();
  return value !== undefined && members(value) === members(wanted);
}

async function judgeHead(run: Run, { route, target }: UrlSubject): Promise<void> {
  await expectHeadAsGet(run, { route, target });
  if (route.queryError !== null) {
    await expectHeadAsGet(run, { route, target: `${pathOf(run, route)}?cursor=!` });
  }
  const got = await ask(run, { route, target, headers: { "if-none-match": "*" } });
  const head = await ask(run, { route, target, method: "HEAD", headers: { "if-none-match": "*" } });
  run.check(METHOD["head-not-modified"], route, head.status === got.status, () => ({
    expected: `${got.status} to HEAD ${target} with If-None-Match: *, as to GET`,
    saw: String(head.status),
  }));
}

async function expectHeadAsGet(run: Run, asked: Asked): Promise<void> {
  let difference: string[] = [];
  for (let moves = 0; moves < MOVED_AT_MOST; moves++) {
    const before = await ask(run, asked);
    const head = await ask(run, { ...asked, method: "HEAD" });
    difference = differences(before, head);
    if (difference.length === 0) break;
  }
  run.check(METHOD.head, asked.route ?? EVERY_PATH, difference.length === 0, () => ({
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
      // A GET may be sent in chunks; HEAD has its length all the same.
      .filter((name) => name !== "content-length" || header(head, name) !== String(got.body.length))
      .map((name) => `${name} ${shown(header(head, name))} in place of ${shown(header(got, name))}`)
  );
}
