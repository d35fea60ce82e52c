/** What a row's `handler` names. */
import type { HandlerName } from "../http/route.ts";
import { matchObject } from "../resources/find.ts";
import type { ShimContext } from "./context.ts";
import { type FullAnswer, invalidQuery } from "./full-answer.ts";
import type { Handler, RouteRequest } from "./handler.ts";
import { activityPage } from "./pages/activity.ts";
import { installationTelemetry } from "./pages/installation.ts";
import { observationsPage } from "./pages/observations.ts";
import { storedAnswer } from "./stored-answers.ts";

export const HANDLERS: Readonly<Record<HandlerName, Handler>> = {
  stored,
  "installation-telemetry": installationTelemetry,
  observations: observationsPage,
  activity: activityPage,
};

/** The object that the query selects, as it is. */
async function stored({ route, query }: RouteRequest, context: ShimContext): Promise<FullAnswer | undefined> {
  const object = matchObject(route, query);
  if (object === undefined) return invalidQuery(route);
  return storedAnswer(route, object.key, context.store, context.now());
}
