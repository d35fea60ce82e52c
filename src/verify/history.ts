/** Walks both histories from their first page to the last, and uses their cursors again. */
import type { Activity, Observations } from "../client/generated/bodies.ts";
import { ACTIVITY_LIMIT, CATEGORIES, type Category } from "../resources/activity/route.ts";
import { OBSERVATIONS_LIMIT } from "../resources/observations/route.ts";
import type { NamedRoute } from "../resources/table.ts";
import { fieldsOf } from "../values/unknown.ts";
import { judgeNewest } from "./between.ts";
import { errorCode, jsonOf, seenReply } from "./exchange.ts";
import type { Run } from "./run.ts";

/** The maximum number of pages of a walk. */
const PAGES_LIMIT = 1_000;

type Item = Observations["items"][number];

export async function judgeHistories(run: Run): Promise<void> {
  const [observations, activity] = [run.route("observations"), run.route("activity")];
  await Promise.all([
    observations && run.guarded(`GET ${observations.path}`, () => walkObservations(run, observations)),
    activity && run.guarded(`GET ${activity.path}`, () => walkActivity(run, activity)),
  ]);
}

async function walkObservations(run: Run, route: NamedRoute): Promise<void> {
  const page = (cursor: string | null, limit: number = OBSERVATIONS_LIMIT.maximum) =>
    pageOf<Observations>(run, route, cursor === null ? `limit=${limit}` : `cursor=${cursor}&limit=${limit}`);
  const ids = new Set<string>();
  let cursor: string | null = null;
  let last: Item | undefined;
  for (let pages = 0; pages < PAGES_LIMIT; pages++) {
    const found: Found<Observations> = await page(cursor);
    if (found.body === undefined) return;
    const { items, nextCursor } = found.body;
    found.check("history/ends", cursor === null || items.length > 0, "an item after nextCursor", "none");
    for (const { telemetryId } of items) {
      found.check("history/goes-on", !ids.has(telemetryId), "new receipts", `telemetryId ${telemetryId} again`);
      ids.add(run.keep(telemetryId));
    }
    if (pages === 0) await useCursors(items, page);
    last = items.at(-1) ?? last;
    if (nextCursor === cursor && cursor !== null) return;
    cursor = nextCursor;
    if (cursor === null) break;
  }
  if (cursor !== null) return run.skip("history/ends", `the observations have more than ${PAGES_LIMIT} pages`);
  if (last === undefined) return;
  const { check, body } = await page(last.cursor);
  const isRepeated = body?.items.some(({ telemetryId }) => telemetryId === last?.telemetryId) ?? false;
  const seen = `${body?.items.length} items${isRepeated ? ", the last one again" : ""}, nextCursor ${body?.nextCursor}`;
  check("history/ends", !isRepeated && (body?.nextCursor ?? null) === null, "newer receipts and no nextCursor", seen);
  await judgeNewest(run, body?.items.at(-1) ?? last);
}

/** The first page again, and a short page from its middle. */
async function useCursors(
  items: readonly Item[],
  page: (cursor: string | null, limit?: number) => Promise<Found<Observations>>,
): Promise<void> {
  const middle = Math.floor(items.length / 2);
  const from = items[middle];
  if (from === undefined) return;
  for (const [found, wanted] of [
    [await page(null), items.slice(0, OBSERVATIONS_LIMIT.maximum)],
    [await page(from.cursor, 3), items.slice(middle + 1, middle + 4)],
  ] as const) {
    const got = (found.body?.items ?? []).slice(0, wanted.length).map((item) => JSON.stringify(item));
    const at = wanted.findIndex((item, index) => JSON.stringify(item) !== got[index]);
    const expected = `the same items as before, such as ${JSON.stringify(wanted[at])}`;
    found.check("history/again", found.body === undefined || at === -1, expected, got[at] ?? "none");
  }
}

interface Found<Body> {
  readonly check: ReturnType<Run["on"]>;
  /** Undefined, and reported, if the response is not a good page. */
  readonly body: Body | undefined;
}

async function pageOf<Body>(run: Run, route: NamedRoute, query: string): Promise<Found<Body>> {
  const subject = run.subject(route, query);
  const check = run.on(`GET ${subject.target}`);
  const reply = await run.good(subject);
  check("history/goes-on", reply !== undefined, "200 with a page", "another response");
  return { check, body: reply && (jsonOf(reply) as Body) };
}

type Page = Extract<Activity, { status: "available" }>;

/** The parts of an event that the rules between pages compare. */
interface Event extends Pick<Page["events"][number], "id" | "occurredAt"> {
  /** The block of a chain event; undefined for a measurement. */
  readonly block: bigint | undefined;
}

interface Walked {
  readonly events: readonly Event[];
  /** The safe block of the first page. */
  readonly throughBlock: bigint;
  readonly isComplete: boolean;
  /** The cursor after the first event. */
  readonly cursor: string | undefined;
}

const SMALL = 3;

async function walkActivity(run: Run, route: NamedRoute): Promise<void> {
  const walks = new Map<Category, Walked>();
  for (const category of CATEGORIES) {
    const walked = await walkCategory(run, route, category);
    if (walked !== undefined) walks.set(category, walked);
  }
  compareCategories(run, route, walks);
  for (const category of walks.keys()) await misuseCursors(run, route, category, walks);
}

async function walkCategory(run: Run, route: NamedRoute, category: Category): Promise<Walked | undefined> {
  const page = async (cursor: string | null, limit: number = ACTIVITY_LIMIT.maximum): Promise<Found<Page>> => {
    const query = `category=${category}&limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`;
    const { check, body } = await pageOf<Activity>(run, route, query);
    if (body?.status === "unavailable") run.skip("history/goes-on", `activity of ${category}: ${body.reason}`);
    if (body?.status !== "available") return { check, body: undefined };
    const { events, nextCursor } = body;
    check("history/ends", cursor === null || events.length > 0, "an event below nextCursor", "none");
    const isFull = nextCursor === null || events.length === limit;
    check("history/ends", isFull, `${limit} events with a nextCursor`, String(events.length));
    return { check, body };
  };
  const events: Event[] = [];
  const ids = new Set<string>();
  let cursor: string | null = null;
  let throughBlock: bigint | undefined;
  let isComplete = false;
  for (let pages = 0; pages < PAGES_LIMIT && !isComplete; pages++) {
    const { check, body }: Found<Page> = await page(cursor);
    if (body === undefined) return undefined;
    throughBlock ??= BigInt(body.chain.safeThroughBlock);
    for (const { id, occurredAt, source } of body.events) {
      const block = source.kind === "chain" ? BigInt(source.blockNumber) : undefined;
      const event = { id: run.keep(id), occurredAt: run.keep(occurredAt), block };
      const above = events.at(-1);
      check("history/goes-on", !ids.has(id), "each event once", `${id} again`);
      const expected = `events below ${above?.id} at ${above?.occurredAt}`;
      check("history/goes-on", above === undefined || descends(above, event), expected, `${id} at ${occurredAt}`);
      ids.add(id);
      events.push(event);
    }
    isComplete = body.nextCursor === null || body.nextCursor === cursor;
    cursor = body.nextCursor;
  }
  if (!isComplete) run.skip("history/ends", `the activity of ${category} has more than ${PAGES_LIMIT} pages`);
  return { events, throughBlock: throughBlock ?? 0n, isComplete, cursor: await useSmallPages(events, page) };
}

/** Ordered by time; at one instant, chain events come first. Beyond that, positions decide, which ids do not show. */
function descends(newer: Event, older: Event): boolean {
  if (newer.occurredAt !== older.occurredAt) return newer.occurredAt > older.occurredAt;
  return newer.block !== undefined || older.block === undefined;
}

/** Reads the first events again in three small pages. Returns the cursor after the first event. */
async function useSmallPages(
  events: readonly Event[],
  page: (cursor: string | null, limit: number) => Promise<Found<Page>>,
): Promise<string | undefined> {
  const first = await page(null, 1);
  const found: string[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < 3 && (pages === 0 || cursor !== null); pages++) {
    const { body }: Found<Page> = await page(cursor, SMALL);
    if (body === undefined) return undefined;
    found.push(...body.events.map(({ id }) => id));
    cursor = body.nextCursor;
  }
  // Skips events that arrived after the walk.
  const got = found.slice(Math.max(0, found.indexOf(events[0]?.id ?? "")));
  const wanted = events.slice(0, got.length).map(({ id }) => id);
  first.check("history/again", wanted.join() === got.join(), `in small pages ${wanted.join(", ")}`, got.join(", "));
  return first.body?.nextCursor ?? undefined;
}

type Walks = ReadonlyMap<Category, Walked>;

function compareCategories(run: Run, route: NamedRoute, walks: Walks): void {
  const all = walks.get("all");
  const others = [...walks].filter(([category]) => category !== "all");
  if (all === undefined || !all.isComplete) return;
  const check = run.on(`GET ${route.path}`);
  const inAll = new Set(all.events.map(({ id }) => id));
  const newest = all.events[0]?.occurredAt ?? "";
  for (const [category, { events, isComplete }] of others) {
    // This category was read after `all`, so events that `all` lacks must be newer.
    const missing = isComplete
      ? events.find(({ id, occurredAt }) => !inAll.has(id) && occurredAt <= newest)
      : undefined;
    check("history/categories", missing === undefined, `${missing?.id} of ${category} among all`, "no such event");
  }
  if (walks.size < CATEGORIES.length || others.some(([, { isComplete }]) => !isComplete)) return;
  const elsewhere = new Set(others.flatMap(([, { events }]) => events.map(({ id }) => id)));
  const lost = all.events.find((event) => !elsewhere.has(event.id) && mustBeListed(event, walks));
  check("history/categories", lost === undefined, `${lost?.id} of all in one of the categories`, "no such event");
}

/**
 * A cache may hold an older page of a category than of `all`. True if the pages of the event's kind are as new as the
 * event, so that one of them must list it.
 */
function mustBeListed({ block, occurredAt }: Event, walks: Walks): boolean {
  if (block === undefined) {
    const newest = walks.get("measurement")?.events[0];
    return newest === undefined || occurredAt <= newest.occurredAt;
  }
  return (["protocol", "players"] as const).every((category) => block <= (walks.get(category)?.throughBlock ?? 0n));
}

/** Sends cursors of other categories, one of the observations, and some that no page returned. */
async function misuseCursors(run: Run, route: NamedRoute, category: Category, walks: Walks): Promise<void> {
  const others = [...walks].flatMap(([other, { cursor }]) => (other === category ? [] : (cursor ?? [])));
  for (const cursor of [...others, "MTI4", "A", "a".repeat(512)]) {
    const subject = run.subject(route, `category=${category}&cursor=${cursor}`);
    const reply = await run.ask(subject);
    const { status, reason } = fieldsOf(jsonOf(reply));
    const isRefused = category === "all" || category === "measurement";
    const holds = isRefused
      ? reply.status === 400 && errorCode(reply) === "invalid_query"
      : reply.status === 200 && status === "unavailable" && reason === "indexer_unavailable";
    const expected = isRefused ? "400 invalid_query" : "200 unavailable indexer_unavailable";
    const check = run.on(`GET ${subject.target.slice(0, 160)}`);
    check("history/cursor", holds, expected, `${seenReply(reply)} ${status ?? ""} ${reason ?? ""}`.trim());
  }
}
