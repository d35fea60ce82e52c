/** Pages of the activity (docs/spec/api.md#activity), cut from a category's root and its tiles. */
import { constantKey } from "../../http/keys.ts";
import type { Route } from "../../http/route.ts";
import { StoreUnavailable } from "../../object-store/object-store.ts";
import {
  type ActivityQuery,
  activityKey,
  activityQuery,
  activityTileKey,
  type Category,
  decodeActivityCursor,
  encodeActivityCursor,
} from "../../resources/activity/route.ts";
import {
  type ActivityRoot,
  decodeIndexTile,
  decodeRoot,
  decodeTile,
  type EventLine,
  type IndexEntry,
  pageBody,
  type TileEntry,
} from "../../resources/activity/stored-activity.ts";
import type { RouteRequest, ShimContext, StoreReader } from "../context.ts";
import { type FullResponse, queryRefused, rowResponse } from "../full-response.ts";
import { storedResponse } from "../stored-responses.ts";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** A tile that a root names is missing: the root is an old copy, and its tile has been deleted since. */
class TileGone extends Error {
  override readonly name = "TileGone";
}

/** A requested page with its decoded cursor. */
interface Wanted {
  readonly category: Category;
  readonly limit: number;
  /** The key of the last event that the client has; absent for the newest page. */
  readonly after: string | undefined;
  /** The cursor of another category, or an invalid one. */
  readonly isRejected: boolean;
}

/** `undefined` if nothing was ever published. */
export async function activityPage(
  { route, query }: RouteRequest,
  context: ShimContext,
): Promise<FullResponse | undefined> {
  const parsed = activityQuery(query);
  const wanted = parsed === undefined ? undefined : wantedPage(parsed);
  // A bad cursor is 400 for `all` and `measurement`. For the chain's categories it is the unavailable response
  // (docs/spec/api.md#activity-order).
  if (wanted === undefined || (wanted.isRejected && !isOfChain(wanted.category))) {
    return queryRefused(route, route.cacheControl);
  }
  const now = context.now();
  try {
    return await page(route, wanted, context.store, now);
  } catch (error) {
    if (!(error instanceof TileGone)) throw error;
    const fresh: StoreReader = { get: (key) => context.store.get(key, { fresh: true }) };
    return page(route, wanted, fresh, now).catch(storeUnavailable);
  }
}

function wantedPage({ category, limit, cursor }: ActivityQuery): Wanted {
  const after = cursor === undefined ? undefined : decodeActivityCursor(category, cursor);
  return { category, limit, after, isRejected: cursor !== undefined && after === undefined };
}

function isOfChain(category: Category): boolean {
  return category === "protocol" || category === "players";
}

async function page(
  route: Route,
  { category, limit, after, isRejected }: Wanted,
  store: StoreReader,
  now: number,
): Promise<FullResponse | undefined> {
  const key = activityKey(category);
  const response = await storedResponse(route, key, store, now);
  if (response === undefined) return undefined;
  const root = rootOf(response, key);
  // An unavailable activity has its own reason.
  if (root === "unavailable") return response;
  if (isRejected) return storedResponse(route, constantKey(key), store, now);
  const { events, more } = await cutPage(root, after, limit, (name) => tileText(category, name, store));
  const last = events.at(-1);
  const nextCursor = more && last !== undefined ? encodeActivityCursor(category, last.key) : null;
  const headers = route.cacheControl === null ? {} : { "cache-control": route.cacheControl };
  const cut = rowResponse(route, { status: 200, headers }, encoder.encode(pageBody(root.opening, events, nextCursor)));
  return response.validUntil === undefined ? cut : { ...cut, validUntil: response.validUntil };
}

/** Throws `StoreUnavailable` if the root is invalid. */
function rootOf(response: FullResponse, key: string): ActivityRoot | "unavailable" {
  try {
    return decodeRoot(decoder.decode(response.body)) ?? "unavailable";
  } catch (cause) {
    throw new StoreUnavailable(`${key} is not activity of Noonmark`, { cause });
  }
}

async function tileText(category: Category, name: string, store: StoreReader): Promise<string> {
  const object = await store.get(activityTileKey(category, name));
  if (object === undefined) throw new TileGone(name);
  return decoder.decode(object.body);
}

function storeUnavailable(cause: unknown): never {
  if (!(cause instanceof TileGone)) throw cause;
  throw new StoreUnavailable(`the activity's root names a tile that is not there: ${cause.message}`, { cause });
}

interface Page {
  /** Newest first. */
  readonly events: readonly EventLine[];
  /** True if an older event exists. */
  readonly more: boolean;
}

/** The text of a tile by its name. */
type TileReader = (name: string) => Promise<string>;

/** Up to `limit` events (1 to 100) below the key `after`, or from the newest on. */
async function cutPage(root: ActivityRoot, after: string | undefined, limit: number, read: TileReader): Promise<Page> {
  const isBelow = ({ key }: EventLine) => after === undefined || key < after;
  const recent = root.recent.filter(isBelow);
  if (recent.length > limit) return { events: recent.slice(0, limit), more: true };
  const events = [...recent];
  const { tiles, more } = await tilesBelow(root, recent.length > 0 ? undefined : after, read);
  for (const { name } of tiles) {
    if (events.length === limit) return { events, more: true };
    const found = decodeTile(await read(name)).filter(isBelow);
    events.push(...found.slice(0, limit - events.length));
    if (found.length > 0 && events.at(-1) !== found.at(-1)) return { events, more: true };
  }
  return { events, more };
}

interface TilesBelow {
  /** Two at most: a page needs no more. */
  readonly tiles: readonly TileEntry[];
  /** True if an older tile exists. */
  readonly more: boolean;
}

/** The first tile with an event below a key (or the newest), and the one after it. */
async function tilesBelow(
  { tiles, indexes }: ActivityRoot,
  after: string | undefined,
  read: TileReader,
): Promise<TilesBelow> {
  const isBelow = ({ last }: TileEntry) => after === undefined || last < after;
  const direct = tiles.findIndex(isBelow);
  if (direct !== -1) return upToTwo(tiles.slice(direct), indexes);
  const at = indexes.findIndex(isBelow);
  const index = indexes[at];
  if (index === undefined) return { tiles: [], more: false };
  const entries = decodeIndexTile(await read(index.name));
  return upToTwo(entries.slice(entries.findIndex(isBelow)), indexes.slice(at + 1));
}

/** The first two of some tiles and of the newest ones in older index tiles, which the root names. */
function upToTwo(tiles: readonly TileEntry[], older: readonly IndexEntry[]): TilesBelow {
  const all = [...tiles, ...older.map(({ first }) => first)];
  return { tiles: all.slice(0, 2), more: all.length > 2 || older.some(({ first, last }) => first.last !== last) };
}
