/** The activity's query: category, limit and cursor, each at most once and in one form. */

import type { RouteContract } from "../../../judge/contract.ts";
import { judgeRefusal, seen } from "../../../judge/errors.ts";
import { jsonOf } from "../../../judge/exchange.ts";
import { judgeGood } from "../../../judge/good.ts";
import { family, type Rule } from "../../../judge/rule.ts";
import type { Run } from "../../run.ts";
import { targetOf } from "../../subjects.ts";
import { ask } from "../ask.ts";

const REFUSE = "judge the whole query behind the cache, and put it into the cache key";

export const ACTIVITY_QUERY = family("activity-query", {
  accepted: [
    "category, limit and cursor are accepted in every way of writing them",
    "decode names and values as application/x-www-form-urlencoded",
  ],
  category: ["a category outside the list is refused", REFUSE],
  limit: ["limit is a canonical decimal integer from 1 to 100, all else is refused", REFUSE],
  "limit-kept": [
    "a page has at most limit events, and 40 by default",
    "cut pages at the limit, and put the whole query into the cache key",
  ],
  cursor: ["a cursor is 1 to 512 characters of letters, digits, _ and -, all else is refused", REFUSE],
  repeated: ["a parameter that stands twice is refused", REFUSE],
  unknown: ["a parameter that the route does not know is refused, an empty one too", REFUSE],
  undecodable: ["a piece that is no percent-encoded UTF-8 is refused", REFUSE],
});

const DEFAULT_LIMIT = 40;
/** With the category and limit that they ask for. */
const ACCEPTED: readonly (readonly [query: string, category: string, limit: number])[] = [
  ["", "all", DEFAULT_LIMIT],
  ["&", "all", DEFAULT_LIMIT],
  ["category=all", "all", DEFAULT_LIMIT],
  ["limit=1", "all", 1],
  ["limit=100", "all", 100],
  ["limit=40&category=protocol", "protocol", 40],
  ["category=protocol&limit=3&", "protocol", 3],
  ["c%61tegory=player%73&limit=2", "players", 2],
  ["category=measurement&limit=%35", "measurement", 5],
];
const REFUSED: readonly (readonly [keyof typeof ACTIVITY_QUERY, readonly string[]])[] = [
  [
    "category",
    ["category=ALL", "category=", "category", "category=x", "category=all+", "category=system", "category=player"],
  ],
  [
    "limit",
    [
      "0",
      "101",
      "1000",
      "01",
      "+1",
      "%2B1",
      "-1",
      "1.0",
      "1e1",
      "0x10",
      "%201",
      "1%20",
      "",
      "abc",
      "100000000000000000000",
    ].map((limit) => `limit=${limit}`),
  ],
  ["limit", ["limit", "category=protocol&limit=0"]],
  [
    "cursor",
    [
      "cursor=",
      "cursor",
      `cursor=${"a".repeat(513)}`,
      "cursor=a.b",
      "cursor=a%2Fb",
      "cursor=a%20b",
      "cursor=a=",
      "cursor=%C3%A9",
    ],
  ],
  ["cursor", ["category=protocol&cursor=", "category=players&cursor=!"]],
  [
    "repeated",
    ["category=all&category=all", "limit=5&limit=5", "limit=5&limit=6", "cursor=a&cursor=a", "category=all&category="],
  ],
  [
    "unknown",
    [
      "a",
      "a=",
      "a=1",
      "range=7d",
      "queue=1",
      "Category=all",
      "limit[]=5",
      "category=all&x",
      "=",
      "after=1",
      "limit=5&page=2",
    ],
  ],
  ["undecodable", ["%FF", "category=%FF", "limit=5&%zz", "cursor=%", "a=%C3%28"]],
];

interface Page {
  readonly status?: string;
  readonly events?: readonly unknown[];
}

export async function judgeActivityQueries(run: Run, route: RouteContract): Promise<void> {
  for (const [query, category, limit] of ACCEPTED) {
    const target = targetOf(run, route, query);
    const reply = await ask(run, { route, target });
    run.check(ACTIVITY_QUERY.accepted, route, reply.status === 200, () => ({
      expected: `200 to GET ${target}`,
      saw: seen(reply),
    }));
    if (reply.status !== 200) continue;
    judgeGood(run, { route, target, query: `category=${category}` }, reply);
    const events = (jsonOf(reply) as Page | undefined)?.events?.length ?? 0;
    run.check(ACTIVITY_QUERY["limit-kept"], route, events <= limit, () => ({
      expected: `at most ${limit} events from GET ${target}`,
      saw: String(events),
    }));
  }
  for (const [kind, queries] of REFUSED) {
    const rule: Rule = ACTIVITY_QUERY[kind];
    for (const query of queries) {
      const target = targetOf(run, route, query);
      const reply = await ask(run, { route, target });
      const request = `GET ${target.length > 200 ? `${target.slice(0, 120)}… (${target.length} characters)` : target}`;
      judgeRefusal({
        run,
        rule,
        subject: route,
        request,
        reply,
        status: 400,
        code: route.queryError ?? "invalid_query",
      });
    }
  }
}
