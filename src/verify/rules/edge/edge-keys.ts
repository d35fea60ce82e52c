/** Cache keys: a bad query beside a good one, and errors that are kept. */

import type { RouteContract } from "../../../judge/contract.ts";
import { errorCode, judgeRefusal, seen } from "../../../judge/errors.ts";
import { header, type Reply } from "../../../judge/exchange.ts";
import { EVERY_PATH } from "../../../judge/report.ts";
import { family } from "../../../judge/rule.ts";
import type { Run } from "../../run.ts";
import { pathOf, targetOf } from "../../subjects.ts";
import { ask } from "../ask.ts";
import { each, guarded } from "../guarded.ts";

export const KEYS = family("edge", {
  "query-key": [
    "a bad query is refused after a good one, and a good one is answered after a bad one",
    "put the whole query into the cache key, and keep no 400",
    "docs/spec/api.md#query",
  ],
  "error-kept": [
    "an error is never answered out of a cache",
    "give errors no lifetime in the cache: a 404 that is kept outlives its cause",
    "docs/spec/api.md#errors",
  ],
});

export async function judgeKeys(run: Run): Promise<void> {
  await each(run, run.routes, { of: (route) => route, checks: (route) => judgeKey(run, route) });
  await guarded(run, EVERY_PATH, () => judgeKeptErrors(run));
}

async function judgeKey(run: Run, route: RouteContract): Promise<void> {
  if (route.queryError === null) return;
  const [good = ""] = route.queries;
  const bad =
    route.query === "observations" ? "cursor=!" : `${good}${good === "" ? "" : "&"}${run.surroundings.unique()}`;
  for (const query of [good, bad, good, bad]) {
    const target = targetOf(run, route, query);
    const reply = await ask(run, { route, target });
    const request = `GET ${target} between good and bad queries`;
    if (query === good) {
      run.check(KEYS["query-key"], route, reply.status !== 400, () => ({
        expected: `no 400 to ${request}`,
        saw: seen(reply),
      }));
    } else {
      judgeRefusal({
        run,
        rule: KEYS["query-key"],
        subject: route,
        request,
        reply,
        status: 400,
        code: route.queryError,
      });
    }
  }
}

/** Long enough for an Age of one second to show. */
const AGE_SHOWS_AFTER_MS = 2_100;

async function judgeKeptErrors(run: Run): Promise<void> {
  const process = run.routes.find(({ query, queries }) => query === "exact" && queries.length > 0);
  const targets = [
    `/${run.surroundings.unique()}`,
    ...(process === undefined ? [] : [`${pathOf(run, process)}?a=${run.surroundings.unique()}`]),
  ];
  const first = await Promise.all(targets.map((target) => ask(run, { target })));
  await run.surroundings.pause(AGE_SHOWS_AFTER_MS);
  for (const [index, target] of targets.entries()) {
    const reply = await ask(run, { target });
    const kept = cacheWords(reply);
    run.check(KEYS["error-kept"], EVERY_PATH, kept === undefined, () => ({
      expected: `a fresh ${first[index]?.status} ${errorCode(reply) ?? ""} to GET ${target}`,
      saw: `${reply.status} with ${kept}`,
    }));
  }
}

/** How a cache says that it answered itself. */
function cacheWords(reply: Reply): string | undefined {
  const age = header(reply, "age");
  if (age !== undefined && Number(age) > 0) return `Age: ${age}`;
  for (const name of [
    "x-cache",
    "x-cache-status",
    "x-proxy-cache",
    "cf-cache-status",
    "cache-status",
    "x-varnish-cache",
  ]) {
    const value = header(reply, name);
    if (value !== undefined && /\bhit\b/i.test(value)) return `${name}: ${value}`;
  }
  // Varnish names the request that filled its cache beside this one.
  const varnish = header(reply, "x-varnish");
  return varnish !== undefined && /^\d+ \d+$/.test(varnish) ? `X-Varnish: ${varnish}` : undefined;
}
