/** The handlers that rows name. */
import type { FileHandlerName, RouteHandlerName } from "../http/route.ts";
import { matchObject } from "../resources/find.ts";
import type { ShimContext } from "./context.ts";
import { badge } from "./files/badge.ts";
import { publicationStatus } from "./files/publication-status.ts";
import { storedAsset, storedFile } from "./files/stored-file.ts";
import { type FullAnswer, invalidQuery } from "./full-answer.ts";
import type { FileRequest, Handler, RouteRequest } from "./handler.ts";
import { activityPage } from "./pages/activity.ts";
import { installationTelemetry } from "./pages/installation.ts";
import { observationsPage } from "./pages/observations.ts";
import type { Soon } from "./soon.ts";
import { storedAnswer } from "./stored-answers.ts";

export const ROUTE_HANDLERS: Readonly<Record<RouteHandlerName, Handler<RouteRequest>>> = {
  stored,
  "installation-telemetry": installationTelemetry,
  observations: observationsPage,
  activity: activityPage,
};

export const FILE_HANDLERS: Readonly<Record<FileHandlerName, Handler<FileRequest>>> = {
  file: storedFile,
  asset: storedAsset,
  badge,
  "publication-status": publicationStatus,
};

/** The object that the query selects, as it is. */
function stored({ route, query }: RouteRequest, context: ShimContext): Soon<FullAnswer | undefined> {
  const object = matchObject(route, query);
  if (object === undefined) return invalidQuery(route);
  return storedAnswer(route, object.key, context.store, context.now());
}
