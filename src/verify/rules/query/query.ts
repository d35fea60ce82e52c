/** Which queries each route accepts, which it refuses, and which it does not read. */

import type { RouteContract } from "../../../judge/contract.ts";
import { judgeRefusal, seen } from "../../../judge/errors.ts";
import { header } from "../../../judge/exchange.ts";
import { judgeGood } from "../../../judge/good.ts";
import type { UrlSubject } from "../../../judge/judged.ts";
import { family, type Rule } from "../../../judge/rule.ts";
import type { Run } from "../../run.ts";
import { pathOf, targetOf } from "../../subjects.ts";
import { ask } from "../ask.ts";
import { each } from "../guarded.ts";
import { judgeActivityQueries } from "./query-activity.ts";
import { judgeObservationsQueries } from "./query-observations.ts";

const REFUSE =
  "judge the whole query behind the cache and put it into the cache key: no front may drop, sort out or decode parameters";

export const QUERY = family("query", {
  accepted: [
    "a good query is accepted in every way of writing it",
    "decode names and values as application/x-www-form-urlencoded, in any order, empty pieces dropped",
  ],
  missing: ["a missing or empty value is refused", REFUSE],
  value: ["a value outside the list is refused", REFUSE],
  repeated: ["a parameter that stands twice is refused", REFUSE],
  unknown: ["a parameter that the route does not know is refused, an empty one too", REFUSE],
  undecodable: ["a piece that is no percent-encoded UTF-8 is refused", REFUSE],
  queue: ["queue is exactly 1 and stands with range=now alone", REFUSE],
  ignored: [
    "a route that reads no query answers whatever stands in it",
    "let the front pass any query of these routes, or drop it",
  ],
});

export async function judgeQueries(run: Run): Promise<void> {
  await each(run, run.routes, {
    of: (route) => route,
    checks: async (route) => {
      if (route.query === "ignored") await ignored(run, route);
      if (route.query === "exact") await exact(run, route);
      if (route.query === "observations") await judgeObservationsQueries(run, route);
      if (route.query === "activity") await judgeActivityQueries(run, route);
    },
  });
}

const NEVER_READ = ["a", "a=", "range=7d", "a=1&a=1", "limit=0", "cursor=!", "%FF", "%zz=%", "queue=1&range=now", "&&"];

async function ignored(run: Run, route: RouteContract): Promise<void> {
  for (const query of NEVER_READ) {
    const target = targetOf(run, route, query);
    const reply = await ask(run, { route, target });
    run.check(QUERY.ignored, route, reply.status === 200, () => ({
      expected: `200 to GET ${target}`,
      saw: seen(reply),
    }));
    if (reply.status === 200) judgeGood(run, { route, target, query: "" }, reply);
  }
}

async function exact(run: Run, route: RouteContract): Promise<void> {
  for (const query of route.queries) {
    for (const written of waysOfWriting(query))
      await expectAccepted(run, { route, query, target: targetOf(run, route, written) });
  }
  for (const [rule, queries] of refused(route)) {
    for (const query of queries) await expectRefused(run, rule, { route, query });
  }
}

/** The same parameters, written otherwise. */
export function waysOfWriting(query: string): string[] {
  if (query === "") return ["&", "&&"];
  const pieces = query.split("&");
  const encoded = pieces.map((piece) => `%${piece.charCodeAt(0).toString(16)}${piece.slice(1)}`).join("&");
  const lastEncoded = `${query.slice(0, -1)}%${query
    .charCodeAt(query.length - 1)
    .toString(16)
    .toUpperCase()}`;
  return [
    `${query}&`,
    `&${query}`,
    encoded,
    lastEncoded,
    ...(pieces.length > 1 ? [pieces.toReversed().join("&")] : []),
  ];
}

async function expectAccepted(run: Run, subject: UrlSubject): Promise<void> {
  const { route, target, query } = subject;
  const plain = await ask(run, { route, target: targetOf(run, route, query) });
  const reply = await ask(run, { route, target });
  run.check(QUERY.accepted, route, reply.status === plain.status, () => ({
    expected: `${plain.status} to GET ${target}, as to ?${query}`,
    saw: seen(reply),
  }));
  if (reply.status !== 200) return;
  judgeGood(run, subject, reply);
  run.check(QUERY.accepted, route, header(reply, "etag") !== undefined || !route.hasTag, () => ({
    expected: `an ETag on GET ${target}`,
    saw: "none",
  }));
}

function refused(route: RouteContract): [Rule, string[]][] {
  const unknown = ["a", "a=", "a=1", "limit=5", "cursor=MQ", "=", "range%3D7d", "nocache=1"];
  if (route.queries.includes("")) {
    return [
      [QUERY.unknown, [...unknown, "range=7d", "queue=1"]],
      [QUERY.undecodable, ["%FF", "%", "a=%C3%28"]],
    ];
  }
  const plain = route.queries.filter((query) => !query.includes("&"));
  const [first = "", second = first] = plain;
  const [name = "", value = ""] = first.split("=");
  const hasQueue = route.queries.some((query) => query.includes("queue="));
  const other = plain.map((query) => query.split("=")[1] ?? "");
  const foreign = ["now", "24h", "7d", "30d", "1h", "all", "lifetime", "0"].filter((one) => !other.includes(one));
  return [
    [QUERY.missing, ["", "&", name, `${name}=`, "x=1"]],
    [
      QUERY.value,
      [
        ...foreign.map((one) => `${name}=${one}`),
        `${name}=${value.toUpperCase()}`,
        `${name}=${value}+`,
        `${name}=%20${value}`,
        `${name}=${value}%00`,
        `${name}==${value}`,
        `${name}=${value};x`,
      ],
    ],
    [QUERY.repeated, [`${first}&${first}`, `${first}&${second}`, `${first}&${name}=`, `${name}&${first}`]],
    [
      QUERY.unknown,
      [
        ...unknown.map((one) => `${first}&${one}`),
        `a=1&${first}`,
        `${name.toUpperCase()}=${value}`,
        `${name}[]=${value}`,
        ...plain.slice(1).map((one) => `${one}&x`),
        ...(hasQueue ? [] : [`${first}&queue=1`]),
      ],
    ],
    [QUERY.undecodable, [`${name}=%FF`, `${first}&%FF`, `${first}&a=%zz`, `${first}%`]],
    [QUERY.queue, hasQueue ? badQueues(plain) : []],
  ];
}

function badQueues(plain: readonly string[]): string[] {
  const values = ["", "=", "=0", "=2", "=01", "=true", "=1&queue=1", "=1&x=1"];
  return [
    ...values.map((value) => `range=now&queue${value}`),
    ...plain.filter((query) => query !== "range=now").map((query) => `${query}&queue=1`),
    "range=24h&queue=0",
    "queue=1",
  ];
}

async function expectRefused(
  run: Run,
  rule: Rule,
  { route, query }: { route: RouteContract; query: string },
): Promise<void> {
  const target = `${pathOf(run, route)}${query === "" ? "" : `?${query}`}`;
  const reply = await ask(run, { route, target });
  const code = route.queryError ?? "invalid_query";
  judgeRefusal({ run, rule, subject: route, request: `GET ${target}`, reply, status: 400, code });
}
