/** The observations' query: a limit that is never refused, a cursor that is, and nothing else read. */

import type { RouteContract } from "../../../judge/contract.ts";
import { judgeRefusal, seen } from "../../../judge/errors.ts";
import { jsonOf } from "../../../judge/exchange.ts";
import { judgeGood } from "../../../judge/good.ts";
import { family } from "../../../judge/rule.ts";
import type { Run } from "../../run.ts";
import { targetOf } from "../../subjects.ts";
import { ask } from "../ask.ts";

export const OBSERVATIONS_QUERY = family("observations-query", {
  limit: [
    "limit is a number clamped to 1 to 100, and 100 where it is no integer",
    "convert limit as a floating-point number, clamp integers, take 100 for all else; put the whole query into the cache key",
  ],
  cursor: [
    "a cursor that does not decode to a positive receipt position is refused",
    "refuse it behind the cache, and put the whole query into the cache key",
  ],
  unknown: ["unknown parameters are not refused", "read cursor and limit alone"],
});

const MAXIMUM = 100;
const LIMITS: readonly (readonly [written: string, effective: number])[] = [
  ["1", 1],
  ["2", 2],
  ["7", 7],
  ["99", 99],
  ["100", 100],
  ["101", 100],
  ["100000", 100],
  ["0", 1],
  ["", 1],
  ["-5", 1],
  ["3.0", 3],
  ["1e1", 10],
  ["0x10", 16],
  ["+4", 4],
  ["%205%20", 5],
  ["%37", 7],
  ["2.5", 100],
  ["abc", 100],
  ["7a", 100],
  ["NaN", 100],
  ["Infinity", 100],
];
const BAD_CURSORS = ["", "!", "0", "-1", "a%20b", "%FF", "%", "MQ%3D%3D%3D", "x".repeat(600), "1.5e"];
const UNKNOWN = ["a", "a=1", "range=7d", "Limit=1", "%FF=1"];

interface Page {
  readonly items: readonly { readonly cursor: string }[];
  readonly nextCursor: string | null;
}

export async function judgeObservationsQueries(run: Run, route: RouteContract): Promise<void> {
  const whole = await pageOf(run, route, "limit=100");
  if (whole === undefined) return;
  for (const [written, effective] of LIMITS) {
    const page = await pageOf(run, route, `limit=${written}`);
    if (page !== undefined) expectItems(run, { route, query: `limit=${written}`, effective, page, whole });
  }
  for (const query of ["", ...UNKNOWN]) {
    const page = await pageOf(run, route, query);
    if (page !== undefined) expectItems(run, { route, query, effective: MAXIMUM, page, whole });
  }
  for (const written of BAD_CURSORS) {
    for (const query of [`cursor=${written}`, `limit=5&cursor=${written}`]) {
      const target = targetOf(run, route, query);
      const reply = await ask(run, { route, target });
      const request = `GET ${target.length > 200 ? `${target.slice(0, 120)}… (${target.length} characters)` : target}`;
      judgeRefusal({
        run,
        rule: OBSERVATIONS_QUERY.cursor,
        subject: route,
        request,
        reply,
        status: 400,
        code: "invalid_cursor",
      });
    }
  }
}

async function pageOf(run: Run, route: RouteContract, query: string): Promise<Page | undefined> {
  const target = targetOf(run, route, query);
  const reply = await ask(run, { route, target });
  const rule = query.startsWith("limit=") ? OBSERVATIONS_QUERY.limit : OBSERVATIONS_QUERY.unknown;
  run.check(rule, route, reply.status === 200, () => ({ expected: `200 to GET ${target}`, saw: seen(reply) }));
  if (reply.status !== 200) return undefined;
  return judgeGood(run, { route, target, query: "" }, reply) ? (jsonOf(reply) as Page) : undefined;
}

interface Expected {
  readonly route: RouteContract;
  readonly query: string;
  readonly effective: number;
  readonly page: Page;
  /** The first hundred, read before: the history may have grown since. */
  readonly whole: Page;
}

function expectItems(run: Run, { route, query, effective, page, whole }: Expected): void {
  const target = targetOf(run, route, query);
  const least = Math.min(effective, whole.items.length);
  const holds = page.items.length >= least && page.items.length <= effective;
  run.check(OBSERVATIONS_QUERY.limit, route, holds, () => ({
    expected: `${least === effective ? effective : `${least} to ${effective}`} items from GET ${target}`,
    saw: String(page.items.length),
  }));
  const known = whole.items[0]?.cursor;
  run.check(OBSERVATIONS_QUERY.limit, route, known === undefined || page.items[0]?.cursor === known, () => ({
    expected: `the first receipt, cursor ${known}, first from GET ${target}`,
    saw: String(page.items[0]?.cursor),
  }));
  const more = whole.items.length > page.items.length;
  run.check(OBSERVATIONS_QUERY.limit, route, !more || page.nextCursor !== null, () => ({
    expected: `a nextCursor, as there are more than ${page.items.length}, from GET ${target}`,
    saw: "null",
  }));
}
