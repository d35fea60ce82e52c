/** Watching for a while: tags are held against bytes at every answer, and nothing may go back. */

import { jsonOf } from "../../../judge/exchange.ts";
import { judgeGood } from "../../../judge/good.ts";
import type { UrlSubject } from "../../../judge/judged.ts";
import { family } from "../../../judge/rule.ts";
import type { Run } from "../../run.ts";
import { allSubjects } from "../../subjects.ts";
import { ask } from "../ask.ts";
import { each } from "../guarded.ts";

export const WATCH = family("watch", {
  back: [
    "no instant, height, frontier or total goes back from one answer to the next",
    "let all nodes of the front and all publishers follow one store; a cache that is asked in turn must not be older than its edge seconds",
    "docs/spec/publishing.md#nothing-goes-back",
  ],
});

const EVERY_MS = 1_000;

/** What never falls: dotted paths, instants and decimal strings alike. */
const RISING = [
  "generatedAt",
  "receivedAt",
  "measurement.receivedAt",
  "oracle.latestAcceptedAt",
  "builder.anchor.settledThroughRound",
  "builder.anchor.cumulativeWork",
  "chain.indexedThroughBlock",
  "chain.safeThroughBlock",
  "core.settledThroughRound",
  "core.cumulativeWork",
  "core.authorizationNonce",
  "window.endAt",
  "lifetime.acceptedWorkUnits",
  "lifetime.settlementCount",
  "lifetime.observedDistanceMm",
];
/** Of lifetime totals alone: a window's own totals fall when it moves on. */
const RISING_NOW = ["summary.settlementCount", "summary.workAdded", "summary.activeRoundCount"];

export async function watch(run: Run): Promise<void> {
  const subjects = allSubjects(run);
  const highest = new Map<string, string>();
  const until = run.surroundings.now() + run.options.watch * 1000;
  while (run.surroundings.now() < until) {
    await each(run, subjects, { of: ({ route }) => route, checks: (subject) => look(run, subject, highest) });
    await run.surroundings.pause(EVERY_MS);
  }
}

async function look(run: Run, subject: UrlSubject, highest: Map<string, string>): Promise<void> {
  const { route, target, query } = subject;
  const reply = await ask(run, { route, target });
  if (reply.status !== 200) return;
  judgeGood(run, subject, reply);
  const body = jsonOf(reply);
  for (const path of query.startsWith("range=now") ? [...RISING, ...RISING_NOW] : RISING) {
    const value = at(body, path);
    if (typeof value !== "string") continue;
    const key = `${target} ${path}`;
    const before = highest.get(key);
    const holds = before === undefined || compare(before, value) <= 0;
    run.check(WATCH.back, route, holds, () => ({
      expected: `${path} at ${before} or above in GET ${target}`,
      saw: value,
    }));
    if (holds) highest.set(key, value);
  }
}

function at(body: unknown, path: string): unknown {
  let value = body;
  for (const name of path.split(".")) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return value;
}

/** Below, at or above 0; timestamps by their text, decimal strings by their length first. */
function compare(one: string, other: string): number {
  const isNumber = /^\d+$/.test(one) && /^\d+$/.test(other);
  if (isNumber && one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : one > other ? 1 : 0;
}
