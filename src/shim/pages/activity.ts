/** Pages of the activity feed (read-api.md 2.9 and 4.8), cut from a category's head and its tiles. */
import { decodeActivityCursor, encodeActivityCursor } from "../../http/activity-cursor.ts";
import { decodeHead, type Head, pageBody } from "../../http/activity-head.ts";
import { badRequest } from "../../http/errors.ts";
import { activityKey, activityTileKey, type Category, constantKey } from "../../http/keys.ts";
import type { ActivityQuery } from "../../http/page-query.ts";
import type { NamedRoute } from "../../http/routes.ts";
import { StoreUnavailable } from "../../object-store/object-store.ts";
import type { ShimContext } from "../context.ts";
import { type FullAnswer, plainAnswer, routeAnswer } from "../full-answer.ts";
import type { StoreReader } from "../recent.ts";
import { storedAnswer } from "../stored-answers.ts";
import { cutPage } from "./activity-page.ts";

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const heads = new WeakMap<FullAnswer, Head | "unavailable">();

/** A tile that a head names is not there: the head is an old copy, and its tile has been deleted since. */
class TileGone extends Error {
  override readonly name = "TileGone";
}

/** `undefined` where nothing was ever published. */
export async function activityPage(
  route: NamedRoute,
  query: ActivityQuery,
  context: ShimContext,
): Promise<FullAnswer | undefined> {
  const { category, cursor } = query;
  const after = cursor === undefined ? undefined : decodeActivityCursor(category, cursor);
  const isRejected = cursor !== undefined && after === undefined;
  // `all` and `measurement` are composed here and reject a cursor themselves; the chain's own categories hand theirs
  // to the chain read, whose refusal is no error of the request (read-api.md 4.8).
  if (isRejected && (category === "all" || category === "measurement")) {
    return plainAnswer(badRequest("invalid_query", route.cacheControl));
  }
  try {
    return await page(route, query, after, isRejected, context, context.store);
  } catch (error) {
    if (!(error instanceof TileGone)) throw error;
    const fresh: StoreReader = { get: (key) => context.store.get(key, { fresh: true }) };
    return page(route, query, after, isRejected, context, fresh).catch(storeUnavailable);
  }
}

async function page(
  route: NamedRoute,
  { category, limit }: ActivityQuery,
  after: string | undefined,
  isRejected: boolean,
  context: ShimContext,
  store: StoreReader,
): Promise<FullAnswer | undefined> {
  const key = activityKey(category);
  const answer = await storedAnswer(route, key, store, context.now());
  if (answer === undefined) return undefined;
  const head = headOf(answer);
  // An unavailable feed gives its own reason.
  if (head === "unavailable") return answer;
  if (isRejected) return storedAnswer(route, constantKey(key), store, context.now());
  const { events, more } = await cutPage(head, after, limit, (name) => tileText(category, name, store));
  const last = events.at(-1);
  const nextCursor = more && last !== undefined ? encodeActivityCursor(category, last.key) : null;
  const headers = route.cacheControl === null ? {} : { "cache-control": route.cacheControl };
  const cut = routeAnswer(route, { status: 200, headers }, encoder.encode(pageBody(head.opening, events, nextCursor)));
  return answer.validUntil === undefined ? cut : { ...cut, validUntil: answer.validUntil };
}

/** A head that the store hands out again is decoded once. */
function headOf(answer: FullAnswer): Head | "unavailable" {
  let head = heads.get(answer);
  if (head === undefined) {
    head = decodeHead(decoder.decode(answer.body)) ?? "unavailable";
    heads.set(answer, head);
  }
  return head;
}

async function tileText(category: Category, name: string, store: StoreReader): Promise<string> {
  const object = await store.get(activityTileKey(category, name));
  if (object === undefined) throw new TileGone(name);
  return decoder.decode(object.body);
}

function storeUnavailable(cause: unknown): never {
  if (!(cause instanceof TileGone)) throw cause;
  throw new StoreUnavailable(`the activity's head names a tile that is not there: ${cause.message}`, { cause });
}
