/** Histories that repeat, lose, cut or mix, cursors that are accepted by mistake, and responses that go back. */
import { header, type Reply, Unanswered } from "../../../../src/judge/exchange.ts";
import { INSTALLATION } from "../../../publish/world.ts";
import { asError, editBody, isAt, onReply, onRequest, type Planted, queryOf, withBody, withHeaders } from "./plant.ts";
import { SUBJECTS } from "./subjects.ts";

type Any = ReturnType<typeof JSON.parse>;

const OBSERVATIONS = `/v1/public/installations/${INSTALLATION}/observations`;
const ACTIVITY = "/v1/public/activity";
const isObservations = isAt(OBSERVATIONS);
const isActivity = isAt(ACTIVITY);
const hasCursor = (query: string) => /(?:^|&)cursor=[A-Za-z0-9_-]+/.test(query);

const of =
  (only: "observations" | "activity") =>
  (name: string, fault: Planted["fault"]): Planted => ({
    name: `${only}: ${name}`,
    families: ["walks"],
    only: only === "observations" ? ["observations", "installation-telemetry"] : [only],
    fault,
  });
const observations = of("observations");
const activity = of("activity");
const pages = (when: (query: string) => boolean, edit: (body: Any) => unknown) =>
  editBody((sent, reply) => isObservations(sent, reply) && when(queryOf(sent)), edit);
const feed = (when: (query: string) => boolean, edit: (body: Any) => unknown) =>
  editBody((sent, reply) => isActivity(sent, reply) && when(queryOf(sent)), edit);

const OBSERVED: readonly Planted[] = [
  observations(
    "the cursor is inclusive",
    pages(hasCursor, (b) => b.items.unshift({ ...b.items[0], cursor: "MQ" })),
  ),
  observations(
    "the cursor is not read",
    onRequest((sent) =>
      hasCursor(queryOf(sent)) && isObservations(sent, undefined as never)
        ? { target: `${OBSERVATIONS}?limit=100` }
        : undefined,
    ),
  ),
  observations(
    "later pages repeat a receipt",
    pages(hasCursor, (b) => b.items.length > 1 && (b.items[1].telemetryId = b.items[0].telemetryId)),
  ),
  observations(
    "a page is another when it is read again",
    everyOther((b: Any) => (b.items = b.items.toReversed())),
  ),
  observations(
    "a nextCursor at the end",
    pages(
      () => true,
      (b) => b.nextCursor === null && b.items.length > 0 && (b.nextCursor = b.items.at(-1).cursor),
    ),
  ),
  observations(
    "the end comes early",
    pages(hasCursor, (b) => Object.assign(b, { items: b.items.slice(0, 1), nextCursor: null })),
  ),
  observations(
    "the newest receipt is missing",
    pages(hasCursor, (b) => b.nextCursor === null && b.items.pop()),
  ),
  observations(
    "the newest receipt is another's",
    pages(
      () => true,
      (b) => b.nextCursor === null && b.items.length > 0 && (b.items.at(-1).cumulativeWorkUnits = "1"),
    ),
  ),
  observations(
    "an item's cursor leads elsewhere",
    pages(
      (query) => query.endsWith("limit=3"),
      (b) => b.items.shift(),
    ),
  ),
  {
    ...observations(
      "an activity cursor is the start",
      onRequest((sent) =>
        /cursor=(?:YWxs|cHJv)/.test(sent.target) && isObservations(sent, undefined as never)
          ? { target: OBSERVATIONS }
          : undefined,
      ),
    ),
    families: ["queries"],
  },
  observations(
    "pages are HTML",
    onReply(
      (sent, reply) => isObservations(sent, reply) && hasCursor(queryOf(sent)),
      (reply) => withBody(reply, "<html>"),
    ),
  ),
  observations(
    "pages are 500",
    onReply(
      (sent, reply) => isObservations(sent, reply) && hasCursor(queryOf(sent)),
      (reply) => asError(reply, 500, "internal_error"),
    ),
  ),
  observations("a page never comes", async (sent, next) => {
    if (hasCursor(queryOf(sent))) throw new Unanswered("no response within 10 s");
    return next(sent);
  }),
  observations(
    "ETag on later pages",
    onReply(
      (sent, reply) => hasCursor(queryOf(sent)) && isObservations(sent, reply),
      (reply) => withHeaders(reply, { etag: '"x"' }),
    ),
  ),
];

const FED: readonly Planted[] = [
  activity(
    "the cursor is not read",
    onRequest((sent) =>
      hasCursor(queryOf(sent)) && isActivity(sent, undefined as never)
        ? { target: sent.target.replace(/&cursor=[^&]*/, "") }
        : undefined,
    ),
  ),
  activity(
    "the cursor is inclusive",
    feed(hasCursor, (b) => b.events?.length > 1 && b.events.unshift(b.events[0])),
  ),
  activity(
    "pages of one event too few",
    feed(
      (query) => /limit=100/.test(query),
      (b) => b.nextCursor !== null && b.events?.pop(),
    ),
  ),
  activity(
    "small pages skip events",
    feed(
      (query) => /limit=3/.test(query),
      (b) => b.events?.shift(),
    ),
  ),
  activity(
    "events ascend",
    feed(
      () => true,
      (b) => b.events && (b.events = b.events.toReversed()),
    ),
  ),
  activity(
    "players' events are lost",
    feed(
      (query) => /category=all/.test(query),
      (b) => b.events && (b.events = b.events.filter((event: Any) => !event.type.startsWith("player."))),
    ),
  ),
  activity(
    "measurements are lost",
    feed(
      (query) => /category=measurement/.test(query),
      (b) => b.events && (b.events = []) && (b.nextCursor = null),
    ),
  ),
  activity(
    "one event is lost from protocol",
    feed(
      (query) => /category=protocol&limit=100/.test(query),
      (b) => b.events?.splice(4, 1),
    ),
  ),
  activity(
    "other categories' cursors are taken",
    onReply(
      (sent, reply) => isActivity(sent, reply) && reply.status === 400 && hasCursor(queryOf(sent)),
      (reply) => asError(reply, 400, "invalid_cursor"),
    ),
  ),
  activity(
    "bad cursors are 404",
    onReply(
      (sent, reply) => isActivity(sent, reply) && reply.status === 400,
      (reply) => asError(reply, 404, "not_found"),
    ),
  ),
  activity("bad cursors of the chain are 400", async (sent, next) => {
    const reply = await next(sent);
    const isUnavailable =
      hasCursor(queryOf(sent)) && new TextDecoder().decode(reply.body).includes("indexer_unavailable");
    return isUnavailable ? withHeaders(asError(reply, 400, "invalid_query"), { "cache-control": "no-store" }) : reply;
  }),
  activity("bad cursors of the chain are not yet safe", async (sent, next) => {
    const reply = await next(sent);
    const text = new TextDecoder().decode(reply.body);
    return hasCursor(queryOf(sent)) && text.includes("indexer_unavailable")
      ? withBody(reply, text.replace("indexer_unavailable", "not_yet_safe"))
      : reply;
  }),
  activity(
    "a token that nobody gave is the start",
    onRequest((sent) =>
      /cursor=(?:A|MTI4|a{512})$/.test(sent.target) ? { target: sent.target.replace(/&cursor=.*$/, "") } : undefined,
    ),
  ),
];

/** Every second response of one URL differs. */
function everyOther(edit: (body: Any) => unknown): Planted["fault"] {
  const counts = new Map<string, number>();
  const edited = pages(() => true, edit);
  return (sent, next) => {
    const count = counts.get(sent.target) ?? 0;
    counts.set(sent.target, count + 1);
    return count % 2 === 0 ? next(sent) : edited(sent, next);
  };
}

/** While it is watched a node of the front falls back behind the others. */
const STANDBY_PACE: readonly Planted[] = SUBJECTS.flatMap(({ route, target }) => {
  if (["modules", "observations"].includes(route.name)) return [];
  const at = (reply: Reply, edit: (text: string) => string) => {
    const changed = withBody(reply, edit(new TextDecoder().decode(reply.body)));
    return header(reply, "etag") === undefined
      ? changed
      : withHeaders(changed, { etag: header(reply, "etag") ?? null });
  };
  return [
    {
      name: `${target}: goes back while it is watched`,
      families: ["watch"] as const,
      only: [route.name],
      fault: secondTime(target, (reply) =>
        at(reply, (text) =>
          text
            .replace(/"(generatedAt|receivedAt)":"2026-11-20/, '"$1":"2026-11-19')
            .replace(
              /"indexedThroughBlock":"(\d+)"/,
              (_, block: string) => `"indexedThroughBlock":"${Number(block) - 1}"`,
            ),
        ),
      ),
    },
    ...(route.etag
      ? [
          {
            name: `${target}: one tag, two texts`,
            families: ["watch"] as const,
            only: [route.name],
            fault: secondTime(target, (reply) => at(reply, (text) => `${text} `)),
          },
        ]
      : []),
  ];
});

function secondTime(target: string, change: (reply: Reply) => Reply): Planted["fault"] {
  let count = 0;
  return async (sent, next) => {
    const reply = await next(sent);
    if (sent.target !== target || sent.method !== "GET") return reply;
    return count++ === 1 ? change(reply) : reply;
  };
}

export const WALK_FAULTS: readonly Planted[] = [...OBSERVED, ...FED, ...STANDBY_PACE];
