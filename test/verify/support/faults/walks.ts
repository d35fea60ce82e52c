/**
 * Histories that repeat, lose, truncate or mix items, invalid cursors that are accepted, and responses that go back.
 */
import { NoResponse, type Sent } from "../../../../src/verify/exchange.ts";
import { INSTALLATION } from "../../../publish/world.ts";
import {
  type Any,
  both,
  type Change,
  type Edit,
  edit,
  editBody,
  error,
  headers,
  isAt,
  onReply,
  onRequest,
  type Planted,
  planter,
  queryOf,
  reversed,
  text,
  textOf,
  type When,
} from "./plant.ts";
import { SUBJECTS } from "./subjects.ts";

const OBSERVATIONS = `/v1/public/installations/${INSTALLATION}/observations`;
const isObservations = isAt(OBSERVATIONS);
const isActivity = isAt("/v1/public/activity");
const hasCursor = (sent: Sent) => /(?:^|&)cursor=[A-Za-z0-9_-]+/.test(queryOf(sent));
const isPage = (sent: Sent) => isObservations(sent) && hasCursor(sent);
const asks = (query: RegExp) => (sent: Sent) => query.test(queryOf(sent));

/** Its cursors also lead to the configured installation's telemetry. */
const observations = (name: string, fault: Planted["fault"], families: Planted["families"] = ["history"]): Planted => ({
  name: `observations: ${name}`,
  families,
  only: ["observations", "installation-telemetry"],
  fault,
});
const pages = (name: string, when: When, change: Edit) =>
  observations(
    name,
    editBody((sent, reply) => isObservations(sent) && when(sent, reply), change),
  );
const atEnd =
  (change: (items: Any[], body: Any) => unknown): Edit =>
  (body) =>
    body.nextCursor === null && body.items.length > 0 && change(body.items, body);

const OBSERVED: readonly Planted[] = [
  pages("the cursor is inclusive", hasCursor, (b) => b.items.unshift({ ...b.items[0], cursor: "MQ" })),
  observations(
    "the cursor is ignored",
    onRequest((sent) => (isPage(sent) ? { target: `${OBSERVATIONS}?limit=100` } : undefined)),
  ),
  pages("later pages repeat a receipt", hasCursor, ({ items }) => {
    if (items.length > 1) items[1].telemetryId = items[0].telemetryId;
  }),
  observations("a page differs when it is read again", everyOther(reversed("items"))),
  pages(
    "a nextCursor at the end",
    isObservations,
    atEnd((items, body) => (body.nextCursor = items.at(-1).cursor)),
  ),
  pages("the history ends early", hasCursor, (b) => Object.assign(b, { items: b.items.slice(0, 1), nextCursor: null })),
  pages(
    "the newest receipt is missing",
    hasCursor,
    atEnd((items) => items.pop()),
  ),
  pages(
    "the newest receipt is another installation's",
    isObservations,
    atEnd((items) => (items.at(-1).cumulativeWorkUnits = "1")),
  ),
  pages("an item's cursor leads elsewhere", asks(/limit=3$/), (b) => b.items.shift()),
  observations("pages are HTML", onReply(isPage, text("<html>"))),
  observations("pages are 500", onReply(isPage, error(500, "internal_error"))),
  observations("a page never comes", async (sent, next) => {
    if (hasCursor(sent)) throw new NoResponse("no response within 10 s");
    return next(sent);
  }),
  observations("ETag on later pages", onReply(isPage, headers({ etag: '"x"' }))),
];

const activity = planter("activity: ", "history", "activity");
const feed = (name: string, query: RegExp, change: Edit) =>
  activity.body(
    name,
    (sent) => isActivity(sent) && asks(query)(sent),
    (b) => b.events && change(b),
  );
const WITH_CURSOR = /(?:^|&)cursor=[A-Za-z0-9_-]+/;
const isBadCursor: When = (sent, reply) => isActivity(sent) && reply.status === 400;
const isUnavailable: When = (sent, reply) => hasCursor(sent) && textOf(reply).includes("indexer_unavailable");

const FED: readonly Planted[] = [
  activity.request("the cursor is ignored", (sent) =>
    isActivity(sent) && hasCursor(sent) ? { target: sent.target.replace(/&cursor=[^&]*/, "") } : undefined,
  ),
  feed("the cursor is inclusive", WITH_CURSOR, (b) => b.events.length > 1 && b.events.unshift(b.events[0])),
  feed("pages have one event too few", /limit=100/, (b) => b.nextCursor !== null && b.events.pop()),
  feed("small pages skip events", /limit=3/, (b) => b.events.shift()),
  feed("events ascend", /^/, reversed("events")),
  feed(
    "players' events are lost",
    /category=all/,
    edit("events", (events) => events.filter(({ type }: Any) => !type.startsWith("player."))),
  ),
  feed("measurements are lost", /category=measurement/, (b) => Object.assign(b, { events: [], nextCursor: null })),
  feed("one event is lost from protocol", /category=protocol&limit=100/, (b) => b.events.splice(4, 1)),
  activity.reply(
    "other categories' cursors are accepted",
    (sent, reply) => isBadCursor(sent, reply) && hasCursor(sent),
    error(400, "invalid_cursor"),
  ),
  activity.reply("bad cursors are 404", isBadCursor, error(404, "not_found")),
  activity.reply(
    "bad chain cursors are 400",
    isUnavailable,
    both(error(400, "invalid_query"), headers({ "cache-control": "no-store" })),
  ),
  activity.reply(
    "bad chain cursors are not_yet_safe",
    isUnavailable,
    text((whole) => whole.replace("indexer_unavailable", "not_yet_safe")),
  ),
  activity.request("an unknown token means the start", ({ target }) =>
    /cursor=(?:A|MTI4|a{512})$/.test(target) ? { target: target.replace(/&cursor=.*$/, "") } : undefined,
  ),
];

/** Every second response of one URL differs. */
function everyOther(change: Edit): Planted["fault"] {
  const counts = new Map<string, number>();
  const edited = editBody(isObservations, change);
  return (sent, next) => {
    const count = counts.get(sent.target) ?? 0;
    counts.set(sent.target, count + 1);
    return count % 2 === 0 ? next(sent) : edited(sent, next);
  };
}

const older = (whole: string) =>
  whole
    .replace(/"(generatedAt|receivedAt)":"2026-11-20/, '"$1":"2026-11-19')
    .replace(/"indexedThroughBlock":"(\d+)"/, (_, block: string) => `"indexedThroughBlock":"${Number(block) - 1}"`);

/** While it is watched, one node of the front falls behind the others. */
const WHILE_WATCHED: readonly Planted[] = SUBJECTS.flatMap(({ route, target }) => {
  if (["modules", "observations"].includes(route.name)) return [];
  const watch = planter(`${target}: `, "watch", route.name);
  return [
    watch.fault("goes back while it is watched", secondTime(target, text(older))),
    ...(route.etag
      ? [
          watch.fault(
            "one tag, two bodies",
            secondTime(
              target,
              text((whole) => `${whole} `),
            ),
          ),
        ]
      : []),
  ];
});

function secondTime(target: string, change: Change): Planted["fault"] {
  let count = 0;
  return async (sent, next) => {
    const reply = await next(sent);
    if (sent.target !== target || sent.method !== "GET") return reply;
    return count++ === 1 ? change(reply) : reply;
  };
}

export const WALK_FAULTS: readonly Planted[] = [...OBSERVED, ...FED, ...WHILE_WATCHED];
