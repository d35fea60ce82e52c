/** Pages of the activity feed (read-api.md 2.9 and 4.8), from a category's head. */
import { activityKey } from "../http/keys.ts";
import type { ActivityQuery } from "../http/page-query.ts";
import type { NamedRoute } from "../http/routes.ts";
import type { ShimContext } from "./context.ts";
import type { FullAnswer } from "./full-answer.ts";
import { storedAnswer } from "./stored-answers.ts";

/**
 * The head as it stands: an unavailable feed, whatever page of it is asked for. Cutting pages from an available one
 * comes with its tiles.
 */
export async function activityPage(
  route: NamedRoute,
  query: ActivityQuery,
  context: ShimContext,
): Promise<FullAnswer | undefined> {
  return storedAnswer(route, activityKey(query.category), context.store, context.now());
}
