/** The tiles that a category's head names and that are not in the store yet, and any tile's body by its name. */

import { type TileLevel, type TileNode, TileTree } from "../../../projections/activity/tile-tree.ts";
import type { ImmutableTile } from "../../publication.ts";
import type { Snapshot } from "../../snapshot.ts";
import { activityTileKey, type Category } from "../keys.ts";
import { activityContext } from "./context.ts";
import { type CategoryEvents, hashInName, hashOf, indexBody, nodeName, tileBody } from "./tile-body.ts";

const LEVELS = [1, 2] as const;

/** The tiles of events, oldest first, then the index tiles over them. */
export function newTiles(snapshot: Snapshot, category: Category): ImmutableTile[][] {
  const { projections, tilePrefix } = snapshot;
  if (eventsOf(snapshot, category) === undefined) return [];
  const tree = new TileTree(projections, category);
  return LEVELS.map((level) =>
    tree.notStored(level).map((node) => newTile(category, node, nodeName(tree, node, tilePrefix))),
  );
}

/** Undefined where no such tile is. */
export function tileAt(snapshot: Snapshot, category: Category, name: string): string | undefined {
  const { projections, tilePrefix } = snapshot;
  const tree = new TileTree(projections, category);
  const isNamed = (node: TileNode) => nodeName(tree, node, tilePrefix) === name;
  const node = tree.byName(name) ?? LEVELS.flatMap((level) => tree.notStored(level)).find(isNamed);
  return node === undefined ? undefined : bodyOf(snapshot, category, node);
}

function newTile(category: Category, { level, first, last }: TileNode, name: string): ImmutableTile {
  return {
    key: activityTileKey(category, name),
    body(snapshot) {
      const body = bodyOf(snapshot, category, { level, first, last });
      return body !== undefined && hashOf(body) === hashInName(name) ? body : undefined;
    },
    stored: ({ projections }) => new TileTree(projections, category).setStored({ level, first }, name),
  };
}

interface TilePlace {
  readonly level: TileLevel;
  readonly first: string;
  readonly last: string;
}

function bodyOf(snapshot: Snapshot, category: Category, place: TilePlace): string | undefined {
  const events = eventsOf(snapshot, category);
  if (events === undefined) return undefined;
  const tree = new TileTree(snapshot.projections, category);
  return place.level === 1 ? tileBody(events, place) : indexBody(tree, place, snapshot.tilePrefix);
}

function eventsOf({ projections, chain, installationId }: Snapshot, category: Category): CategoryEvents | undefined {
  const context = activityContext(installationId, chain);
  return context && { projections, category, context };
}
