/** The rules of HEAD: it has the status and the headers of GET. */
import { errorCode, header, type Reply, seenReply, shown } from "./exchange.ts";
import type { Request, Run } from "./run.ts";

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
/** Attempts to compare a HEAD with a response that changes. */
const CHANGE_LIMIT = 4;

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
