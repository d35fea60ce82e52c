/** What a category's head names: its newest events, the tiles that no index tile has yet, the index tiles. */
import type { Database } from "better-sqlite3";
import type { Category } from "../../src/http/keys.ts";
import { HIGHEST } from "../../src/projections/activity/activity-events.ts";
import { FeedNodes } from "../../src/projections/activity/feed-nodes.ts";
import type { FeedLayout } from "../../src/resources/activity/build.ts";
import type { FeedContext } from "../../src/resources/activity/event.ts";
import { eventLines, nodeName } from "./tile-body.ts";

/** `prefix` begins the names of tiles that are not in the store yet: they are put under these before the head is. */
export function feedLayout(
  projections: Database,
  category: Category,
  context: FeedContext,
  prefix: string,
): FeedLayout {
  const nodes = new FeedNodes(projections, category);
  if (nodes.state() === undefined) throw new Error(`the feed of ${category} has not been planned`);
  const indexed = nodes.newest(2)?.first ?? "";
  const entry = (node: Parameters<typeof nodeName>[1]) => ({ name: nodeName(nodes, node, prefix), last: node.last });
  return {
    recent: eventLines(projections, category, context, { above: nodes.newest(1)?.first ?? "" }),
    tiles: nodes.between(1, indexed, HIGHEST).map(entry),
    indexes: nodes.between(2, "", HIGHEST).flatMap((index) => {
      const first = nodes.covering(1, index.first);
      return first === undefined ? [] : [{ ...entry(index), first: entry(first) }];
    }),
  };
}
