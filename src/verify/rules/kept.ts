/** Two reads around a change: what a cache has kept may not outlive its edge seconds. */
import { header, type Reply, textOf } from "../exchange/exchange.ts";
import { family } from "../report/rule.ts";
import type { Run } from "../run.ts";
import { allSubjects, targetOf, type UrlSubject } from "../subjects.ts";
import { ask } from "./ask.ts";
import { each } from "./guarded.ts";
import { waysOfWriting } from "./query.ts";
import { essence, opaque } from "./revision.ts";

export const KEPT = family("kept", {
  "too-long": [
    "a stored answer follows a change within its edge seconds",
    "let the cache keep it for min(edge seconds, valid-until − now), give it no default TTL, and serve nothing stale",
    "API 8",
  ],
});

const SLACK_MS = 2_000;
/** Each time it is asked again how another way of writing the URL, which no cache knows, is answered. */
const TRIES = 3;

export async function judgeKept(run: Run): Promise<void> {
  const subjects = allSubjects(run);
  // What is read plainly is filled now at the latest; most of it was long ago.
  await each(run, subjects, {
    of: ({ route }) => route,
    checks: async ({ route, target }) => void (await ask(run, { route, target })),
  });
  const edge = Math.max(0, ...subjects.map(({ route }) => route.edgeSeconds));
  await run.surroundings.pause(edge * 1000 + SLACK_MS);
  await each(run, subjects, { of: ({ route }) => route, checks: (subject) => compare(run, subject) });
}

async function compare(run: Run, subject: UrlSubject): Promise<void> {
  const { route, target } = subject;
  let holds = false;
  let saw = "";
  let expected = "";
  for (let tries = 0; tries < TRIES && !holds; tries++) {
    if (tries > 0) await run.surroundings.pause(route.edgeSeconds * 1000 + SLACK_MS);
    const before = await ask(run, { route, target: fresh(run, subject) });
    const plain = await ask(run, { route, target });
    const after = await ask(run, { route, target: fresh(run, subject) });
    [expected, saw] = [identity(after), identity(plain)];
    // Whatever has moved while it was read is no sign of a cache.
    holds = identity(before) !== expected || saw === expected;
  }
  run.check(KEPT["too-long"], route, holds, () => ({
    expected: `GET ${target} as a URL is answered that no cache knows: ${expected.slice(0, 100)}`,
    saw: saw.slice(0, 100),
  }));
}

/** The same question in words that no cache has heard. */
function fresh(run: Run, { route, query }: UrlSubject): string {
  const unique = run.surroundings.unique();
  if (route.query === "ignored" || route.query === "observations") return targetOf(run, route, `${unique}=1`);
  const ways = waysOfWriting(query);
  const way = ways.find((one) => one.includes("%")) ?? ways[0] ?? query;
  return targetOf(run, route, `${way}${"&".repeat(2 + (unique.charCodeAt(0) % 40))}`);
}

function identity(reply: Reply): string {
  const tag = header(reply, "etag");
  return `${reply.status} ${tag === undefined ? essence(textOf(reply) ?? "") : opaque(tag)}`;
}
