/**
 * Cuts a page out of the activity (docs/spec/publishing.md#tiles): one head, at most one index tile and at most two tiles,
 * anywhere in the history.
 */
import {
  decodeIndexTile,
  decodeTile,
  type EventLine,
  type Head,
  type TileEntry,
} from "../../resources/activity/stored-feed.ts";

export interface Page {
  /** Newest first. */
  readonly events: readonly EventLine[];
  /** True if an older event exists. */
  readonly more: boolean;
}

/** The text of a tile by its name. */
export type TileReader = (name: string) => Promise<string>;

/** Up to `limit` events (1 to 100) below the key `after`, or from the newest on. */
export async function cutPage(head: Head, after: string | undefined, limit: number, read: TileReader): Promise<Page> {
  const isBelow = ({ key }: EventLine) => after === undefined || key < after;
  const recent = head.recent.filter(isBelow);
  if (recent.length > limit) return { events: recent.slice(0, limit), more: true };
  const events = [...recent];
  const tiles = await tilesBelow(head, recent.length > 0 ? undefined : after, read);
  for (const [index, { name }] of tiles.entries()) {
    if (events.length === limit) return { events, more: true };
    const found = decodeTile(await read(name)).filter(isBelow);
    events.push(...found.slice(0, limit - events.length));
    if (found.length > 0 && events.at(-1) !== found.at(-1)) return { events, more: true };
    if (events.length === limit) return { events, more: index + 1 < tiles.length };
  }
  return { events, more: false };
}

/**
 * The first tile with an event below a key (or the newest) and the two after it, if there are any. Two are read; the third
 * shows that there is more.
 */
async function tilesBelow(
  { tiles, indexes }: Head,
  after: string | undefined,
  read: TileReader,
): Promise<readonly TileEntry[]> {
  const isBelow = ({ last }: TileEntry) => after === undefined || last < after;
  const direct = tiles.findIndex(isBelow);
  if (direct !== -1) return [...tiles.slice(direct), ...indexes.slice(0, 1).map(({ first }) => first)].slice(0, 3);
  const at = indexes.findIndex(isBelow);
  const index = indexes[at];
  if (index === undefined) return [];
  const next = indexes.slice(at + 1, at + 2).map(({ first }) => first);
  // If the index's newest tile is the first, its own text is needed only for the tile after it.
  const entries = decodeIndexTile(await read(index.name));
  return [...entries.slice(entries.findIndex(isBelow)), ...next].slice(0, 3);
}
