/** Walks each category of activity from the newest event to the first, and tries invalid cursors. */
import type { Activity } from "../../client/generated/bodies.ts";
import type { RouteContract } from "../../judge/contract.ts";
import { judgeRefusal, seen } from "../../judge/errors.ts";
import { jsonOf, type Reply } from "../../judge/exchange.ts";
import { judgeGood } from "../../judge/good.ts";
import { ACTIVITY_LIMIT, CATEGORIES, type Category } from "../../resources/activity/route.ts";
import { fieldsOf } from "../../values/unknown.ts";
import { ask, targetOf } from "../ask.ts";
import { ACTIVITY_WALK } from "../rules.ts";
import type { Run } from "../run.ts";

type Page = Extract<Activity, { status: "available" }>;
/** What the rules between pages need of an event. */
interface Event extends Pick<Page["events"][number], "id" | "occurredAt"> {
  /** The block of a chain event; undefined for a measurement. */
  readonly block: bigint | undefined;
}

interface Walked {
  readonly events: readonly Event[];
  /** The safe block of the first page. */
  readonly throughBlock: bigint;
  readonly complete: boolean;
  /** The cursor after the first event. */
  readonly cursor: string | undefined;
}

const LIMIT = ACTIVITY_LIMIT.maximum;
const SMALL = 3;
const SMALL_PAGES = 3;

type Walks = ReadonlyMap<Category, Walked>;

export async function walkActivity(run: Run, route: RouteContract): Promise<void> {
  const walks = new Map<Category, Walked>();
  for (const category of CATEGORIES) {
    const walked = await walk(run, route, category);
    if (walked !== undefined) walks.set(category, walked);
  }
  compareCategories(run, route, walks);
  for (const category of CATEGORIES) await misuse(run, route, category, walks);
}

async function walk(run: Run, route: RouteContract, category: Category): Promise<Walked | undefined> {
  const events: Event[] = [];
  const ids = new Set<string>();
  let cursor: string | null = null;
  let throughBlock: bigint | undefined;
  const walked = async (complete: boolean): Promise<Walked> => ({
    events,
    throughBlock: throughBlock ?? 0n,
    complete,
    cursor: await smaller(run, route, { category, events }),
  });
  for (let pages = 0; pages < run.options.pages; pages++) {
    const page: Page | undefined = await pageOf(run, route, { category, cursor, limit: LIMIT });
    if (page === undefined) return undefined;
    throughBlock ??= BigInt(page.chain.safeThroughBlock);
    const listed = page.events.map(({ id, occurredAt, source }) => ({
      id: run.keep(id),
      occurredAt: run.keep(occurredAt),
      block: source.kind === "chain" ? BigInt(source.blockNumber) : undefined,
    }));
    judgePage(run, route, { events: listed, before: events.at(-1), ids });
    events.push(...listed);
    if (page.nextCursor === null || page.nextCursor === cursor) return walked(true);
    cursor = page.nextCursor;
  }
  run.skip(ACTIVITY_WALK["goes-on"], `the activity of ${category} has more than ${run.options.pages} pages`);
  return walked(false);
}

interface PageQuery {
  readonly category: Category;
  readonly cursor: string | null;
  readonly limit: number;
}

async function pageOf(
  run: Run,
  route: RouteContract,
  { category, cursor, limit }: PageQuery,
): Promise<Page | undefined> {
  const query = `category=${category}&limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`;
  const target = targetOf(run, route, query);
  const reply = await ask(run, { route, target });
  run.check(ACTIVITY_WALK["goes-on"], route, reply.status === 200, () => ({
    expected: `200 to GET ${target}`,
    saw: seen(reply),
  }));
  if (reply.status !== 200) return undefined;
  if (!judgeGood(run, { route, target }, reply)) return undefined;
  const page = jsonOf(reply) as Activity;
  if (page.status === "unavailable") {
    run.skip(ACTIVITY_WALK["goes-on"], `the activity of ${category} is unavailable: ${page.reason}`);
    return undefined;
  }
  run.check(ACTIVITY_WALK.size, route, cursor === null || page.events.length > 0, () => ({
    expected: `an event below nextCursor, in GET ${target}`,
    saw: "none",
  }));
  run.check(ACTIVITY_WALK.size, route, page.nextCursor === null || page.events.length === limit, () => ({
    expected: `${limit} events with a nextCursor from GET ${target}`,
    saw: String(page.events.length),
  }));
  return page;
}

interface Judged {
  readonly events: readonly Event[];
  readonly before: Event | undefined;
  readonly ids: Set<string>;
}

function judgePage(run: Run, route: RouteContract, { events, before, ids }: Judged): void {
  let newer = before;
  for (const event of events) {
    run.check(ACTIVITY_WALK["goes-on"], route, !ids.has(event.id), () => ({
      expected: "each event once",
      saw: `${event.id} again`,
    }));
    ids.add(event.id);
    const above = newer;
    run.check(ACTIVITY_WALK.order, route, above === undefined || descends(above, event), () => ({
      expected: `events below ${above?.id} at ${above?.occurredAt}`,
      saw: `${event.id} at ${event.occurredAt}`,
    }));
    newer = event;
  }
}

/** Ordered by time; at one instant, chain events come first. Beyond that, positions decide, which ids do not show. */
function descends(newer: Event, older: Event): boolean {
  if (newer.occurredAt !== older.occurredAt) return newer.occurredAt > older.occurredAt;
  return newer.block !== undefined || older.block === undefined;
}

/** Reads the first events again in small pages. Returns the cursor after the first event. */
async function smaller(
  run: Run,
  route: RouteContract,
  { category, events }: { category: Category; events: readonly Event[] },
): Promise<string | undefined> {
  const first = await pageOf(run, route, { category, cursor: null, limit: 1 });
  const found: Pick<Event, "id">[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < SMALL_PAGES; pages++) {
    const page: Page | undefined = await pageOf(run, route, { category, cursor, limit: SMALL });
    if (page === undefined) return undefined;
    found.push(...page.events);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  // Skips events that arrived after the walk.
  const begin = found.findIndex(({ id }) => id === events[0]?.id);
  const wanted = events.slice(0, Math.max(0, found.length - Math.max(begin, 0))).map(({ id }) => id);
  const got = found.slice(Math.max(begin, 0)).map(({ id }) => id);
  run.check(ACTIVITY_WALK.smaller, route, wanted.join() === got.join(), () => ({
    expected: `${wanted.join(", ")} in pages of ${SMALL} of ${category}`,
    saw: got.join(", "),
  }));
  return first?.nextCursor ?? undefined;
}

function compareCategories(run: Run, route: RouteContract, walks: Walks): void {
  const all = walks.get("all");
  if (all === undefined || !all.complete) return;
  const inAll = new Set(all.events.map(({ id }) => id));
  const newest = all.events[0]?.occurredAt ?? "";
  const elsewhere = new Set<string>();
  for (const [category, { events, complete }] of walks) {
    if (category === "all") continue;
    for (const { id } of events) elsewhere.add(id);
    if (!complete) return;
    // This category was read after `all`, so events that `all` lacks must be newer.
    const missing = events.find(({ id, occurredAt }) => !inAll.has(id) && occurredAt <= newest);
    run.check(ACTIVITY_WALK.categories, route, missing === undefined, () => ({
      expected: `${missing?.id} of ${category} among all`,
      saw: "no such event",
    }));
  }
  if (walks.size < CATEGORIES.length) return;
  const lost = all.events.find((event) => !elsewhere.has(event.id) && mustBeListed(event, walks));
  run.check(ACTIVITY_WALK.categories, route, lost === undefined, () => ({
    expected: `${lost?.id} of all in one of the three categories`,
    saw: "no such event",
  }));
}

/**
 * A cache may hold an older page of a category than of `all`. True if the pages of the event's kind are as new as the event, so
 * that one of them must list it.
 */
function mustBeListed({ block, occurredAt }: Event, walks: Walks): boolean {
  if (block === undefined) {
    const newest = walks.get("measurement")?.events[0];
    return newest === undefined || occurredAt <= newest.occurredAt;
  }
  return (["protocol", "players"] as const).every((category) => block <= (walks.get(category)?.throughBlock ?? 0n));
}

/** Sends cursors of other categories and of observations, and one that no page returned. */
async function misuse(run: Run, route: RouteContract, category: Category, walks: Walks): Promise<void> {
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
    judgeRefusal({ run, rule: ACTIVITY_WALK.misuse, subject: route, request, reply }, 400, "invalid_query");
    return;
  }
  const { status, reason } = fieldsOf(jsonOf(reply));
  const holds = reply.status === 200 && status === "unavailable" && reason === "indexer_unavailable";
  run.check(ACTIVITY_WALK.misuse, route, holds, () => ({
    expected: `200 unavailable indexer_unavailable to ${request}`,
    saw: `${seen(reply)} ${status ?? ""} ${reason ?? ""}`.trim(),
  }));
  if (reply.status === 200) judgeGood(run, { route, target }, reply);
}
