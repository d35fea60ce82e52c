/**
 * Pages of the observations (read-api.md 2.4 and 4.3), cut from tiles (design 1, "What is stored", 5). Positions are
 * dense, so a position names its tile: a page is at most two of them, wherever in the history it lies.
 */
import { observationTileKey, TILE_SIZE, tileOf } from "../http/keys.ts";
import { encodeObservationCursor } from "../http/observation-cursor.ts";
import type { ObservationsQuery } from "../http/page-query.ts";
import type { NamedRoute } from "../http/routes.ts";
import type { StoredObject } from "../object-store/object-store.ts";
import type { ShimContext } from "./context.ts";
import { type FullAnswer, routeAnswer } from "./full-answer.ts";
import { installations } from "./installation.ts";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** The items' JSON texts of a tile that a store may hand out again. */
const lines = new WeakMap<StoredObject, readonly string[]>();

/** `undefined` where nothing is published; an unknown installation has no items. */
export async function observationsPage(
  route: NamedRoute,
  installationId: string,
  { after, limit }: ObservationsQuery,
  context: ShimContext,
): Promise<FullAnswer | undefined> {
  const index = await installations(context);
  if (index === undefined) return undefined;
  const history = index.histories.get(installationId);
  // One more than asked for tells whether another item exists.
  const found =
    history === undefined
      ? []
      : await itemsAfter(after, limit + 1, (tile, fresh) => read(installationId, history, tile, fresh, context));
  const items = found.slice(0, limit);
  const nextCursor = found.length > limit ? encodeObservationCursor(after + limit) : null;
  const body = `{"schemaVersion":1,"installationId":${JSON.stringify(installationId)},"items":[${items.join(",")}],"nextCursor":${JSON.stringify(nextCursor)}}`;
  return routeAnswer(route, { status: 200, headers: {} }, encoder.encode(body));
}

/** Up to `count` (at most 101) items of positions above `after`, from at most two tiles. */
async function itemsAfter(
  after: number,
  count: number,
  read: (tile: number, fresh: boolean) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  if (after >= Number.MAX_SAFE_INTEGER) return [];
  const tile = tileOf(after + 1);
  const offset = after - tile * TILE_SIZE;
  let first = await read(tile, false);
  if (first.length - offset >= count) return first.slice(offset, offset + count);
  // A tile that is not full may be an old copy of one that is: its successor must not be read on top of it.
  if (first.length > 0 && first.length < TILE_SIZE) first = await read(tile, true);
  const items = first.slice(offset, offset + count);
  if (first.length < TILE_SIZE || items.length === count) return items;
  const second = await read(tile + 1, false);
  return [...items, ...second.slice(0, count - items.length)];
}

async function read(
  installationId: string,
  history: string,
  tile: number,
  fresh: boolean,
  { store }: ShimContext,
): Promise<readonly string[]> {
  const object = await store.get(observationTileKey(installationId, history, tile), fresh ? { fresh } : undefined);
  if (object === undefined || object.body.length === 0) return [];
  let known = lines.get(object);
  if (known === undefined) {
    known = decoder.decode(object.body).split("\n");
    lines.set(object, known);
  }
  return known;
}
