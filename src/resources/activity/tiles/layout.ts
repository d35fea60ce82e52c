/** The parts that a category's head names: its newest events, the tiles that no index tile has yet, the index tiles. */
import { HIGHEST } from "../../../projections/activity/activity-events.ts";
import { readTiling, type TileNode, TileReader } from "../../../projections/activity/tile-tree.ts";
import type { ActivityLayout } from "../build.ts";
import { type CategoryEvents, eventLines, nameOf } from "./tile-body.ts";

/** Throws if the tiles are not all cut. */
export function activityLayout(events: CategoryEvents): ActivityLayout {
  const { projections, category } = events;
  const tree = new TileReader(projections, category);
  if (readTiling(projections, category)?.isWhole !== true) throw new Error(`the tiles of ${category} are not all cut`);
  const indexed = tree.newest(2)?.first ?? "";
  const entry = (node: TileNode) => ({ name: nameOf(node), last: node.last });
  return {
    recent: eventLines(events, { above: tree.newest(1)?.first ?? "" }),
    tiles: tree.between(1, indexed, HIGHEST).map(entry),
    indexes: tree.between(2, "", HIGHEST).flatMap((index) => {
      const first = tree.covering(1, index.first);
      return first === undefined ? [] : [{ ...entry(index), first: entry(first) }];
    }),
  };
}
