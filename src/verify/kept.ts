/** Checks that caches do not serve a response for longer than its edge seconds, and ignore forged headers. */
import { header, type Reply, strongTag, textOf } from "../judge/exchange.ts";
import { waysOfWriting } from "../judge/exchanges/of-row.ts";
import { ask, comparableText, eachSubject, type PlainSubject, targetOf } from "./ask.ts";
import { KEPT } from "./rules.ts";
import type { Run } from "./run.ts";

const SLACK_MS = 2_000;
/** Headers that a front uses within itself, and headers that no route reads. */
const FORGED = {
  "x-stale": "1",
  "x-forwarded-host": "elsewhere.example",
  "x-forwarded-prefix": "/elsewhere",
  "x-original-url": "/nowhere",
  "x-http-method-override": "POST",
  authorization: "Bearer nobody",
  cookie: "a=b",
};
/** Attempts to compare; each requests another form of the URL, which no cache has stored. */
const TRIES = 3;

export async function judgeKept(run: Run): Promise<void> {
  // After these requests, caches may have stored responses to the canonical URLs.
  await eachSubject(run, ({ route, target }) => ask(run, { route, target }));
  const edge = Math.max(0, ...run.routes.map(({ edgeSeconds }) => edgeSeconds));
  await run.environment.pause(edge * 1000 + SLACK_MS);
  await eachSubject(run, (subject) => compare(run, subject));
}

async function compare(run: Run, subject: PlainSubject): Promise<void> {
  const { route, target } = subject;
  // Stored responses to this URL have expired, so this request may fill a cache.
  await run.environment.send({ method: "GET", target, headers: FORGED });
  const other = await ask(run, { route, target });
  const cacheControl = header(other, "cache-control");
  const holds = other.status !== 200 || cacheControl === (route.cacheControl ?? undefined);
  run.check(KEPT.forged, route, holds && other.status !== 405, () => ({
    expected: `GET ${target} as if no other reader had sent ${Object.keys(FORGED).join(", ")}`,
    saw: `${other.status}, Cache-Control ${cacheControl ?? "none"}`,
  }));
  let isRecent = false;
  let saw = "";
  let expected = "";
  for (let tries = 0; tries < TRIES && !isRecent; tries++) {
    if (tries > 0) await run.environment.pause(route.edgeSeconds * 1000 + SLACK_MS);
    const before = await ask(run, { route, target: fresh(run, subject) });
    const plain = await ask(run, { route, target });
    const after = await ask(run, { route, target: fresh(run, subject) });
    [expected, saw] = [identity(after), identity(plain)];
    // If the response changed between the two reads, this attempt says nothing about a cache.
    isRecent = identity(before) !== expected || saw === expected;
  }
  run.check(KEPT["too-long"], route, isRecent, () => ({
    expected: `GET ${target} as from a URL that no cache has stored: ${expected.slice(0, 100)}`,
    saw: saw.slice(0, 100),
  }));
}

/** Returns the same query in a form that no cache has stored. */
function fresh(run: Run, { route, query }: PlainSubject): string {
  const unique = run.environment.unique();
  if (route.query === "ignored" || route.handler === "observations") return targetOf(run, route, `${unique}=1`);
  const ways = waysOfWriting(query);
  const way = ways.find((one) => one.includes("%")) ?? ways[0] ?? query;
  return targetOf(run, route, `${way}${"&".repeat(2 + (unique.charCodeAt(0) % 40))}`);
}

function identity(reply: Reply): string {
  const tag = header(reply, "etag");
  return `${reply.status} ${tag === undefined ? comparableText(textOf(reply) ?? "") : strongTag(tag)}`;
}
