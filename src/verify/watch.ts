/** Reads every route repeatedly for some time and checks that no value falls. Compares each tag with its body. */
import { jsonOf } from "../judge/exchange.ts";
import { valueAt } from "../judge/exchanges/format.ts";
import { judgeGood } from "../judge/good.ts";
import { ask, eachSubject, type PlainSubject } from "./ask.ts";
import { WATCH } from "./rules.ts";
import type { Run } from "./run.ts";

const EVERY_MS = 1_000;

/** A longer text is no timestamp and no number that the API has. */
const MAX_VALUE_LENGTH = 100;

/** Dotted paths of values that never fall: timestamps and decimal strings. */
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
/** Lifetime totals only, because a window's totals fall when it advances. */
const RISING_NOW = ["summary.settlementCount", "summary.workAdded", "summary.activeRoundCount"];

export async function watch(run: Run): Promise<void> {
  const highest = new Map<string, string>();
  const until = run.environment.now() + run.options.watch * 1000;
  while (run.environment.now() < until) {
    await eachSubject(run, (subject) => readOnce(run, subject, highest));
    await run.environment.pause(EVERY_MS);
  }
}

async function readOnce(run: Run, subject: PlainSubject, highest: Map<string, string>): Promise<void> {
  const { route, target, query } = subject;
  const reply = await ask(run, { route, target });
  if (reply.status !== 200) return;
  judgeGood(run, subject, reply);
  const body = jsonOf(reply);
  for (const path of query.startsWith("range=now") ? [...RISING, ...RISING_NOW] : RISING) {
    const value = valueAt(body, path);
    if (typeof value !== "string" || value.length > MAX_VALUE_LENGTH) continue;
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

/** A comparator: timestamps by text, decimal strings by length first. */
function compare(one: string, other: string): number {
  const isNumber = /^\d+$/.test(one) && /^\d+$/.test(other);
  if (isNumber && one.length !== other.length) return one.length - other.length;
  return one < other ? -1 : one > other ? 1 : 0;
}
