/** The texts of the activity's tiles and the names under which they are put (docs/spec/publishing.md#activity-tiles). */
import { createHash } from "node:crypto";
import type { Database } from "better-sqlite3";
import { type KeyRange, readActivityEvents } from "../../../projections/activity/activity-events.ts";
import type { TileNode, TileTree } from "../../../projections/activity/tile-tree.ts";
import { type ActivityContext, eventText } from "../event.ts";
import type { Category } from "../keys.ts";
import { activityEventSchema } from "../schema-events.ts";
import { type EventLine, encodeIndexTile, encodeTile, type TileEntry } from "../stored-feed.ts";

const HASH_LENGTH = 22;

/** One category's events, and what their texts are made with. */
export interface CategoryEvents {
  readonly projections: Database;
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

/** `<history>-<epoch>-<hash>`; a tile that is in the store keeps the name it has there. */
export function nodeName(tree: TileTree, node: TileNode, prefix: string): string {
  return node.name ?? `${prefix}-${node.hash ?? hashOf(indexBody(tree, node, prefix))}`;
}

/** What a tile's name says of its text. */
export function hashInName(name: string): string {
  return name.slice(-HASH_LENGTH);
}

export function indexBody(tree: TileTree, index: Pick<TileNode, "first">, prefix: string): string {
  return encodeIndexTile(entriesOf(tree, index, prefix));
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, HASH_LENGTH);
}

/** The tiles of an index tile, newest first. */
function entriesOf(tree: TileTree, { first }: Pick<TileNode, "first">, prefix: string): TileEntry[] {
  const older = tree.olderThan(2, first)?.first ?? "";
  return tree.between(1, older, first).map((tile) => ({ name: nodeName(tree, tile, prefix), last: tile.last }));
}
