/**
 * Builds activity's immutable tiles (docs/spec/publishing.md#activity-tiles): texts, names, and the layout in a
 * category's root. A tile's name is the hash of its text, so the same text is never stored twice.
 */

import { createHash } from "node:crypto";
import type { ChainState, CoreView, EconomyView } from "../../chain/chain-state.ts";
import { HIGHEST, type KeyRange, readActivityEvents } from "../../projections/activity/activity-events.ts";
import { type TileNode, TileReader } from "../../projections/activity/tile-tree.ts";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";
import type { ImmutableTile } from "../publication.ts";
import type { Snapshot } from "../snapshot.ts";
import type { ActivityLayout } from "./build.ts";
import { activityEventSchema } from "./contract.ts";
import { type ActivityContext, eventText } from "./event.ts";
import { activityTileKey, type Category } from "./route.ts";
import { type EventLine, encodeIndexTile, encodeTile, type TileEntry } from "./stored-activity.ts";

/** The inputs of the tiles' texts. They exist if both chain views are available. */
export interface ActivityViews extends ActivityContext {
  readonly core: CoreView;
  readonly economy: EconomyView;
  readonly validUntil: number;
}

export function activityContext(
  installationId: string,
  { core, economy, validUntil }: ChainState,
): ActivityViews | undefined {
  if (core.status === "unavailable" || economy.status === "unavailable") return undefined;
  const { target, chainId } = core.view.chain;
  const { releaseId } = economy.view;
  return { installationId, target, chainId, releaseId, core: core.view, economy: economy.view, validUntil };
}

const HASH_LENGTH = 22;

/** One category's events, and the shared inputs of their texts. */
export interface CategoryEvents {
  readonly projections: ReadOnlyDatabase;
  readonly category: Category;
  readonly context: ActivityContext;
}

/** The keys of a tile's newest and oldest event. */
export interface TileRange {
  readonly first: string;
  readonly last: string;
}

/** Returns the lines of a range, newest first. */
function eventLines({ projections, category, context }: CategoryEvents, range: KeyRange): EventLine[] {
  return readActivityEvents(projections, category, range).map((event) => ({
    key: event.key,
    text: eventText(event, context),
  }));
}

function tileBody(events: CategoryEvents, { first, last }: TileRange): string {
  return encodeTile(eventLines(events, { through: first, last }));
}

/** Returns a tile's hash. Checks each event once, against its schema: `all` only repeats the others' events. */
export function tileHash(events: CategoryEvents, { first, last }: TileRange): string {
  const lines = eventLines(events, { through: first, last });
  if (events.category !== "all") for (const { text } of lines) activityEventSchema.parse(JSON.parse(text));
  return hashOf(encodeTile(lines));
}

/** Returns a tile's name. Throws if its hash is not computed yet. */
function nameOf({ hash, level, first }: TileNode): string {
  if (hash === null) throw new Error(`the tile of level ${level} at ${first} has no hash yet`);
  return hash;
}

export function indexBody(tree: TileReader, index: Pick<TileNode, "first">): string {
  return encodeIndexTile(entriesOf(tree, index));
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, HASH_LENGTH);
}

/** Returns the tiles of an index tile, newest first. */
function entriesOf(tree: TileReader, { first }: Pick<TileNode, "first">): TileEntry[] {
  const older = tree.olderThan(2, first)?.first ?? "";
  return tree.between(1, older, first).map((tile) => ({ name: nameOf(tile), last: tile.last }));
}

const LEVELS = [1, 2] as const;

/** Returns all inputs of the tiles' texts except the events, as one text. */
export function tilesBasis({ installationId, target, chainId, releaseId }: ActivityContext): string {
  return JSON.stringify([installationId, target, String(chainId), releaseId]);
}

/** True if every tile is cut and hashed. */
export function areTilesCut({ projections, category, context }: CategoryEvents): boolean {
  return new TileReader(projections, category).isDone(tilesBasis(context));
}

/**
 * Returns a text that changes with the tiles; "" if not all are cut, or an input is unavailable. It depends only on the
 * tiles' names: even if the projections were lost, a root must not name a tile that was not put.
 */
export function tilesVersion(snapshot: Snapshot, category: Category): string {
  const events = eventsOf(snapshot, category);
  if (events === undefined || !areTilesCut(events)) return "";
  const { tiles, indexes } = tilesOf(events);
  // An index tile's name is the hash of the names in it.
  return hashOf([...tiles, ...indexes].map(({ name }) => name).join());
}

/** Returns the event tiles, oldest first, then their index tiles. */
export function activityTiles(snapshot: Snapshot, category: Category): ImmutableTile[][] {
  const tree = new TileReader(snapshot.projections, category);
  return LEVELS.map((level) =>
    tree
      .between(level, "", HIGHEST)
      .toReversed()
      .map((node) => immutableTile(category, node)),
  );
}

/** Returns a tile's text; undefined if there is no tile with this name. */
export function tileAt(snapshot: Snapshot, category: Category, name: string): string | undefined {
  const node = new TileReader(snapshot.projections, category).byHash(name);
  return node === undefined ? undefined : bodyOf(snapshot, category, node);
}

function immutableTile(category: Category, node: TileNode): ImmutableTile {
  const name = nameOf(node);
  return {
    key: activityTileKey(category, name),
    body(snapshot) {
      const body = bodyOf(snapshot, category, node);
      return body !== undefined && hashOf(body) === name ? body : undefined;
    },
  };
}

function bodyOf(snapshot: Snapshot, category: Category, node: TileNode): string | undefined {
  const events = eventsOf(snapshot, category);
  if (events === undefined) return undefined;
  return node.level === 1 ? tileBody(events, node) : indexBody(new TileReader(snapshot.projections, category), node);
}

function eventsOf({ projections, chain, installationId }: Snapshot, category: Category): CategoryEvents | undefined {
  const context = activityContext(installationId, chain);
  return context && { projections, category, context };
}

/** Returns the newest events, tiles without an index tile, and index tiles. Throws if not all tiles are cut. */
export function activityLayout(events: CategoryEvents): ActivityLayout {
  const { projections, category } = events;
  if (!areTilesCut(events)) throw new Error(`the tiles of ${category} are not all cut yet`);
  const above = new TileReader(projections, category).newest(1)?.first ?? "";
  return { recent: eventLines(events, { above }), ...tilesOf(events) };
}

function tilesOf({ projections, category }: CategoryEvents): Pick<ActivityLayout, "tiles" | "indexes"> {
  const tree = new TileReader(projections, category);
  const indexed = tree.newest(2)?.first ?? "";
  const entry = (node: TileNode) => ({ name: nameOf(node), last: node.last });
  return {
    tiles: tree.between(1, indexed, HIGHEST).map(entry),
    indexes: tree.between(2, "", HIGHEST).flatMap((index) => {
      const first = tree.covering(1, index.first);
      return first === undefined ? [] : [{ ...entry(index), first: entry(first) }];
    }),
  };
}
