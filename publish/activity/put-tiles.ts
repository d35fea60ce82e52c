/**
 * Puts the tiles that a head is about to name, oldest first, index tiles after the tiles they name. A crash on the way
 * leaves tiles that no head names; what was put keeps its name and is not put again.
 */
import type { Database } from "better-sqlite3";
import { activityTileKey, type Category } from "../../src/http/keys.ts";
import { FeedNodes } from "../../src/projections/activity/feed-nodes.ts";
import type { FeedContext } from "../../src/resources/activity/event.ts";
import { eachLimited } from "../concurrency.ts";
import { indexBody, nodeName, tileBody } from "./tile-body.ts";

/** In flight at once. */
const CONCURRENCY = 8;

export async function putFeedTiles(
  projections: Database,
  category: Category,
  context: FeedContext,
  prefix: string,
  putImmutable: (key: string, body: string) => Promise<void>,
): Promise<void> {
  const nodes = new FeedNodes(projections, category);
  for (const level of [1, 2] as const) {
    await eachLimited(nodes.unnamed(level), CONCURRENCY, async (node) => {
      const name = nodeName(nodes, node, prefix);
      const body =
        level === 1 ? tileBody(projections, category, context, node.first, node.last) : indexBody(nodes, node, prefix);
      await putImmutable(activityTileKey(category, name), body);
      nodes.setName(node, name);
    });
  }
}

/** The body behind a tile's key, for who reads the feed without a store; undefined where no such tile is. */
export function feedTileAt(
  projections: Database,
  category: Category,
  context: FeedContext,
  prefix: string,
  name: string,
): string | undefined {
  const nodes = new FeedNodes(projections, category);
  for (const level of [1, 2] as const) {
    const node = nodes.byName(name) ?? nodes.unnamed(level).find((other) => nodeName(nodes, other, prefix) === name);
    if (node === undefined) continue;
    return node.level === 1
      ? tileBody(projections, category, context, node.first, node.last)
      : indexBody(nodes, node, prefix);
  }
  return undefined;
}
