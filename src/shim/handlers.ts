/** The handlers that rows name. */

import { type FileHandlerName, PATH_PARAMETERS, type RouteHandlerName } from "../http/route.ts";
import { matchObject } from "../resources/find.ts";
import { ASSETS_PREFIX } from "../resources/site/route.ts";
import type { FileRequest, Handler, MaybePromise, RouteRequest, ShimContext } from "./context.ts";
import { badge, publicationStatus } from "./files.ts";
import { type FullResponse, invalidQuery } from "./full-response.ts";
import { activityPage } from "./pages/activity.ts";
import { installationTelemetry } from "./pages/installation.ts";
import { observationsPage } from "./pages/observations.ts";
import { storedResponse } from "./stored-responses.ts";

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

/** The object that the query selects, unchanged. */
function stored({ route, query }: RouteRequest, context: ShimContext): MaybePromise<FullResponse | undefined> {
  const object = matchObject(route, query);
  if (object === undefined) return invalidQuery(route);
  return storedResponse(route, object.key, context.store, context.now());
}

const ASSET = new RegExp(`^${PATH_PARAMETERS.asset}$`);

function storedFile({ file }: FileRequest, context: ShimContext): MaybePromise<FullResponse | undefined> {
  const [object] = file.objects;
  return object === undefined ? undefined : storedResponse(file, object.key, context.store, context.now());
}

/** An unknown name costs no read. */
function storedAsset({ file, asset }: FileRequest, context: ShimContext): MaybePromise<FullResponse | undefined> {
  if (!ASSET.test(asset)) return undefined;
  return storedResponse(file, `${ASSETS_PREFIX}${asset}`, context.store, context.now());
}
