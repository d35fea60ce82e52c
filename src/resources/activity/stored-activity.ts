/**
 * The stored form of activity roots and tiles (docs/spec/publishing.md#tiles). Each consists of text lines, so that a
 * page is cut without parsing events:
 * - Root: the response up to and including `"events":[`, then the layout as JSON, then one line per event that no tile
 *   contains yet. The root of unavailable activity is one line, the response itself.
 * - Tile: one line per event, newest first: its key, a tab, its JSON text.
 * - Index tile: one line per tile, newest first: its name, a tab, the key of its oldest event.
 */
import { fieldsOf } from "../../values/unknown.ts";

export interface TileEntry {
  readonly name: string;
  /** The key of its oldest event. */
  readonly last: string;
}

export interface IndexEntry extends TileEntry {
  /** Its newest tile. A page that starts in the previous tile then needs no index tile. */
  readonly first: TileEntry;
}

export interface EventLine {
  readonly key: string;
  readonly text: string;
}

export interface ActivityRoot {
  /** The response up to and including `"events":[`. */
  readonly opening: string;
  /** Events that are newer than every tile. All lists here are newest first. */
  readonly recent: readonly EventLine[];
  /** The newest tiles, which are not in an index tile yet. */
  readonly tiles: readonly TileEntry[];
  readonly indexes: readonly IndexEntry[];
}

export function encodeRoot({ opening, recent, tiles, indexes }: ActivityRoot): string {
  return [opening, JSON.stringify({ tiles, indexes }), ...recent.map(lineOf)].join("\n");
}

/** Returns `undefined` for unavailable activity, whose text is the response. Throws if the layout is invalid. */
export function decodeRoot(text: string): ActivityRoot | undefined {
  const [opening = "", layout, ...recent] = text.split("\n");
  if (layout === undefined) return undefined;
  const value: unknown = JSON.parse(layout);
  if (!isLayout(value)) throw new Error("its second line is not a layout of tiles");
  return { opening, recent: recent.map(eventLine), tiles: value.tiles, indexes: value.indexes };
}

function isLayout(value: unknown): value is Pick<ActivityRoot, "tiles" | "indexes"> {
  const { tiles, indexes } = fieldsOf(value);
  return (
    Array.isArray(tiles) &&
    tiles.every(isTileEntry) &&
    Array.isArray(indexes) &&
    indexes.every((index: unknown) => isTileEntry(index) && isTileEntry(fieldsOf(index).first))
  );
}

function isTileEntry(value: unknown): value is TileEntry {
  const { name, last } = fieldsOf(value);
  return typeof name === "string" && typeof last === "string";
}

export function encodeTile(events: readonly EventLine[]): string {
  return events.map(lineOf).join("\n");
}

export function decodeTile(text: string): EventLine[] {
  return text.split("\n").map(eventLine);
}

export function encodeIndexTile(entries: readonly TileEntry[]): string {
  return entries.map(({ name, last }) => `${name}\t${last}`).join("\n");
}

export function decodeIndexTile(text: string): TileEntry[] {
  return text.split("\n").map((line) => {
    const [name = "", last = ""] = line.split("\t");
    return { name, last };
  });
}

/** Returns the response body of a page. */
export function pageBody(opening: string, events: readonly EventLine[], nextCursor: string | null): string {
  return `${opening}${events.map(({ text }) => text).join(",")}],"nextCursor":${JSON.stringify(nextCursor)}}`;
}

function lineOf({ key, text }: EventLine): string {
  return `${key}\t${text}`;
}

function eventLine(line: string): EventLine {
  const tab = line.indexOf("\t");
  return { key: line.slice(0, tab), text: line.slice(tab + 1) };
}
