/** The texts of the feed's tiles and the names under which they are put (design 1, "What is stored", 5). */
import { createHash } from "node:crypto";
import type { Database } from "better-sqlite3";
import { type EventLine, encodeIndexTile, encodeTile, type TileEntry } from "../../src/http/activity-head.ts";
import type { Category } from "../../src/http/keys.ts";
import { type KeyRange, readActivityEvents } from "../../src/projections/activity/activity-events.ts";
import type { FeedNode, FeedNodes } from "../../src/projections/activity/feed-nodes.ts";
import { eventText, type FeedContext } from "../../src/resources/activity/event.ts";
import { activityEventSchema } from "../../src/resources/activity/schema-events.ts";

const HASH_LENGTH = 22;

/** The lines of a range, newest first. */
export function eventLines(
  projections: Database,
  category: Category,
  context: FeedContext,
  range: KeyRange,
): EventLine[] {
  return readActivityEvents(projections, category, range).map((event) => ({
    key: event.key,
    text: eventText(event, context),
  }));
}

export function tileBody(
  projections: Database,
  category: Category,
  context: FeedContext,
  first: string,
  last: string,
): string {
  return encodeTile(eventLines(projections, category, context, { through: first, last }));
}

/** Also checks each event, once: every event is in its own category's tiles and in those of `all`. */
export function tileHash(
  projections: Database,
  category: Category,
  context: FeedContext,
  first: string,
  last: string,
): string {
  const lines = eventLines(projections, category, context, { through: first, last });
  if (category !== "all") for (const { text } of lines) activityEventSchema.parse(JSON.parse(text));
  return hashOf(encodeTile(lines));
}

/** `<history>-<epoch>-<hash>`; a tile that stands in the store keeps the name it has there. */
export function nodeName(nodes: FeedNodes, node: FeedNode, prefix: string): string {
  return node.name ?? `${prefix}-${node.hash ?? hashOf(indexBody(nodes, node, prefix))}`;
}

/** What a tile's name says of its text. */
export function hashInName(name: string): string {
  return name.slice(-HASH_LENGTH);
}

export function indexBody(nodes: FeedNodes, index: FeedNode, prefix: string): string {
  return encodeIndexTile(entriesOf(nodes, index, prefix));
}

/** The tiles of an index tile, newest first. */
export function entriesOf(nodes: FeedNodes, { first }: FeedNode, prefix: string): TileEntry[] {
  const older = nodes.olderThan(2, first)?.first ?? "";
  return nodes.between(1, older, first).map((tile) => ({ name: nodeName(nodes, tile, prefix), last: tile.last }));
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, HASH_LENGTH);
}
