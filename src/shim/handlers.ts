/** The handlers that rows name. */

import { NO_STORE } from "../http/common-headers.ts";
import { NOT_FOUND } from "../http/errors.ts";
import type { FileHandlerName, RouteHandlerName } from "../http/route.ts";
import { matchObject } from "../resources/find.ts";
import { SITE_PREFIX } from "../resources/site/route.ts";
import {
  andThen,
  type FileRequest,
  type Handler,
  type MaybePromise,
  type RouteRequest,
  type ShimContext,
} from "./context.ts";
import { publicationStatus } from "./files.ts";
import { type FullResponse, plainResponse, queryRefused, rowResponse } from "./full-response.ts";
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
  log: logFile,
  "publication-status": publicationStatus,
};

/** The object that the query selects, unchanged. */
function stored({ route, query }: RouteRequest, context: ShimContext): MaybePromise<FullResponse | undefined> {
  const object = matchObject(route, query);
  if (object === undefined) return queryRefused(route);
  return storedResponse(route, object.key, context.store, context.now());
}

function storedFile({ file, path }: FileRequest, context: ShimContext): MaybePromise<FullResponse | undefined> {
  const key = file.objects[0]?.key ?? SITE_PREFIX + path.slice(1);
  return storedResponse(file, key, context.store, context.now());
}

/** A missing file may come with the next entry, so no cache may keep its 404. */
const NO_LOG_FILE = plainResponse({ ...NOT_FOUND, headers: { "cache-control": NO_STORE } });

/** The bytes of an object of the log, which are not those of a response (docs/spec/log.md#files). */
function logFile({ file, path }: FileRequest, { store }: ShimContext): MaybePromise<FullResponse> {
  const headers = { "cache-control": file.cacheControl ?? NO_STORE };
  return andThen(store.get(path.slice(1)), (object) =>
    object === undefined ? NO_LOG_FILE : rowResponse(file, { status: 200, headers }, object.body, object.contentType),
  );
}
