/** The texts of the activity's tiles and the names under which they are put (docs/spec/publishing.md#activity-tiles). */

import { createHash } from "node:crypto";
import { type KeyRange, readActivityEvents } from "../../../projections/activity/activity-events.ts";
import type { TileNode, TileReader } from "../../../projections/activity/tile-tree.ts";
import type { ReadOnlyDatabase } from "../../../sqlite/statement.ts";
import { type ActivityContext, eventText } from "../event.ts";
import type { Category } from "../keys.ts";
import { activityEventSchema } from "../schema-events.ts";
import { type EventLine, encodeIndexTile, encodeTile, type TileEntry } from "../stored-feed.ts";

const HASH_LENGTH = 22;

/** One category's events, and what their texts are made with. */
export interface CategoryEvents {
  readonly projections: ReadOnlyDatabase;
  readonly category: Category;
  readonly context: ActivityContext;
}

/** Keys of the newest and the oldest event of a tile. */
export interface TileRange {
  readonly first: string;
  readonly last: string;
}

/** The lines of a range, newest first. */
export function eventLines({ projections, category, context }: CategoryEvents, range: KeyRange): EventLine[] {
  return readActivityEvents(projections, category, range).map((event) => ({
    key: event.key,
    text: eventText(event, context),
  }));
}

export function tileBody(events: CategoryEvents, { first, last }: TileRange): string {
  return encodeTile(eventLines(events, { through: first, last }));
}

/** Also checks each event, once: every event is in its own category's tiles and in those of `all`. */
export function tileHash(events: CategoryEvents, { first, last }: TileRange): string {
  const lines = eventLines(events, { through: first, last });
  if (events.category !== "all") for (const { text } of lines) activityEventSchema.parse(JSON.parse(text));
  return hashOf(encodeTile(lines));
}

/** A tile's name is the hash of its text, so the same text is never stored twice. Throws if it is not computed yet. */
export function nameOf({ hash, level, first }: TileNode): string {
  if (hash === null) throw new Error(`the tile of level ${level} at ${first} has no hash yet`);
  return hash;
}

/** The hash in a tile's name; the names of earlier versions have more before it. */
export function hashInName(name: string): string {
  return name.slice(-HASH_LENGTH);
}

export function indexBody(tree: TileReader, index: Pick<TileNode, "first">): string {
  return encodeIndexTile(entriesOf(tree, index));
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, HASH_LENGTH);
}

/** The tiles of an index tile, newest first. */
function entriesOf(tree: TileReader, { first }: Pick<TileNode, "first">): TileEntry[] {
  const older = tree.olderThan(2, first)?.first ?? "";
  return tree.between(1, older, first).map((tile) => ({ name: nameOf(tile), last: tile.last }));
}
