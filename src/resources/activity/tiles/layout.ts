/** What a category's head names: its newest events, the tiles that no index tile has yet, the index tiles. */
import { HIGHEST } from "../../../projections/activity/activity-events.ts";
import { type FeedNode, FeedNodes } from "../../../projections/activity/feed-nodes.ts";
import type { ActivityLayout } from "../build.ts";
import { type CategoryEvents, eventLines, nodeName } from "./tile-body.ts";

/** `prefix` begins the names of tiles that are not in the store yet: they are put under these before the head is. */
export function activityLayout(events: CategoryEvents, prefix: string): ActivityLayout {
  const { projections, category } = events;
  const nodes = new FeedNodes(projections, category);
  if (nodes.state() === undefined) throw new Error(`the activity of ${category} has not been planned`);
  const indexed = nodes.newest(2)?.first ?? "";
  const entry = (node: FeedNode) => ({ name: nodeName(nodes, node, prefix), last: node.last });
  return {
    recent: eventLines(events, { above: nodes.newest(1)?.first ?? "" }),
    tiles: nodes.between(1, indexed, HIGHEST).map(entry),
    indexes: nodes.between(2, "", HIGHEST).flatMap((index) => {
      const first = nodes.covering(1, index.first);
      return first === undefined ? [] : [{ ...entry(index), first: entry(first) }];
    }),
  };
}
