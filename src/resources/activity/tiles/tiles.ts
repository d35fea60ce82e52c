/** The tiles that a category's head leads to, and any tile's body by its name. */
import { HIGHEST } from "../../../projections/activity/activity-events.ts";
import { readTiling, type TileNode, TileReader } from "../../../projections/activity/tile-tree.ts";
import type { ImmutableTile } from "../../publication.ts";
import type { Snapshot } from "../../snapshot.ts";
import { activityTileKey, type Category } from "../keys.ts";
import { activityContext } from "./context.ts";
import { type CategoryEvents, hashOf, indexBody, nameOf, tileBody } from "./tile-body.ts";

const LEVELS = [1, 2] as const;

/** Rises whenever a tile may have come or gone; "" while the chain does not say what the tiles are made with. */
export function tilesVersion(snapshot: Snapshot, category: Category): string {
  const tiling = readTiling(snapshot.projections, category);
  if (eventsOf(snapshot, category) === undefined || tiling?.isWhole !== true) return "";
  return `${tiling.basis} ${tiling.version}`;
}

/** The tiles of events, oldest first, then the index tiles over them. */
export function activityTiles(snapshot: Snapshot, category: Category): ImmutableTile[][] {
  const tree = new TileReader(snapshot.projections, category);
  return LEVELS.map((level) =>
    tree
      .between(level, "", HIGHEST)
      .toReversed()
      .map((node) => immutableTile(category, node)),
  );
}

/** Undefined if there is no such tile. */
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
