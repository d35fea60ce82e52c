/** The categories of the activity feed against each other, and cursors used as they are not meant. */

import type { RouteContract } from "../../../judge/contract.ts";
import { judgeRefusal, seen } from "../../../judge/errors.ts";
import { jsonOf, type Reply } from "../../../judge/exchange.ts";
import { judgeGood } from "../../../judge/good.ts";
import { CATEGORIES, type Category } from "../../../resources/activity/keys.ts";
import type { Run } from "../../run.ts";
import { targetOf } from "../../subjects.ts";
import { ask } from "../ask.ts";
import { ACTIVITY_WALK, type Page, type Walked } from "./walk-activity-rules.ts";

export function compareCategories(run: Run, route: RouteContract, walks: ReadonlyMap<Category, Walked>): void {
  const all = walks.get("all");
  if (all === undefined || !all.complete) return;
  const inAll = new Set(all.events.map(({ id }) => id));
  const newest = all.events[0]?.occurredAt ?? "";
  const elsewhere = new Set<string>();
  for (const [category, { events, complete }] of walks) {
    if (category === "all") continue;
    for (const { id } of events) elsewhere.add(id);
    if (!complete) return;
    // Walked after `all`: what has come since is newer.
    const missing = events.find(({ id, occurredAt }) => !inAll.has(id) && occurredAt <= newest);
    run.check(ACTIVITY_WALK.categories, route, missing === undefined, () => ({
      expected: `${missing?.id} of ${category} among all`,
      saw: "it is not there",
    }));
  }
  if (walks.size < CATEGORIES.length) return;
  const lost = all.events.find(({ id }) => !elsewhere.has(id));
  run.check(ACTIVITY_WALK.categories, route, lost === undefined, () => ({
    expected: `${lost?.id} of all in one of the three categories`,
    saw: "it is in none",
  }));
}

interface Misuse {
  readonly category: Category;
  readonly walks: ReadonlyMap<Category, Walked>;
}

/** Cursors of other categories, of the observations and of nobody. */
export async function misuse(run: Run, route: RouteContract, { category, walks }: Misuse): Promise<void> {
  if (!walks.has(category)) return;
  const others = CATEGORIES.filter((other) => other !== category).flatMap((other) => walks.get(other)?.cursor ?? []);
  for (const cursor of [...others, "MTI4", "A", "a".repeat(512)]) {
    const target = targetOf(run, route, `category=${category}&cursor=${cursor}`);
    judgeMisuse(run, route, { category, target, reply: await ask(run, { route, target }) });
  }
}

function judgeMisuse(
  run: Run,
  route: RouteContract,
  { category, target, reply }: { category: Category; target: string; reply: Reply },
): void {
  const request = `GET ${target.slice(0, 160)}`;
  if (category === "all" || category === "measurement") {
    judgeRefusal({
      run,
      rule: ACTIVITY_WALK.misuse,
      subject: route,
      request,
      reply,
      status: 400,
      code: "invalid_query",
    });
    return;
  }
  const { status, reason } = (jsonOf(reply) ?? {}) as Partial<Page>;
  const holds = reply.status === 200 && status === "unavailable" && reason === "indexer_unavailable";
  run.check(ACTIVITY_WALK.misuse, route, holds, () => ({
    expected: `200 unavailable indexer_unavailable to ${request}`,
    saw: `${seen(reply)} ${status ?? ""} ${reason ?? ""}`.trim(),
  }));
  if (reply.status === 200) judgeGood(run, { route, target, query: `category=${category}` }, reply);
}
