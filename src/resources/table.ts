/**
 * The table of routes and files. The shim's routing, the CDN files, the OpenAPI document, the client and `noonmark
 * verify` all read it, so they cannot disagree. Rows are data without dependencies, so that a Worker can load them.
 */
import { CONTENT_TYPE } from "../http/common-headers.ts";
import type { FileRow, Route } from "../http/route.ts";
import { activityRoute } from "./activity/route.ts";
import { logEndFile, logTileFile } from "./log/route.ts";
import { modulesRoute } from "./modules/route.ts";
import { observationsRoute } from "./observations/route.ts";
import { onchainRoute } from "./onchain/route.ts";
import { processRoute } from "./process/route.ts";
import { publicationStatusFile } from "./publication-status/route.ts";
import { settlementsRoute } from "./settlements/route.ts";
import { legacySettlementsRoute } from "./settlements-legacy/route.ts";
import { assetFile, deploymentFile, docsFile, faviconFile, openapiFile, pageFile, robotsFile } from "./site/route.ts";
import { statisticsRoute } from "./statistics/route.ts";
import { installationTelemetryRoute, telemetryRoute } from "./telemetry/route.ts";

const ROUTE_ROWS = [
  telemetryRoute,
  installationTelemetryRoute,
  modulesRoute,
  observationsRoute,
  processRoute,
  statisticsRoute,
  onchainRoute,
  settlementsRoute,
  activityRoute,
  legacySettlementsRoute,
] as const;

const FILE_ROWS = [
  pageFile,
  docsFile,
  assetFile,
  openapiFile,
  publicationStatusFile,
  deploymentFile,
  robotsFile,
  faviconFile,
  logTileFile,
  logEndFile,
] as const;

type RouteRow = (typeof ROUTE_ROWS)[number];
type AnyRow = RouteRow | (typeof FILE_ROWS)[number];

export type RouteName = RouteRow["name"];
/** The names in reports. */
export type ResourceName = AnyRow["resource"];
/** Rows with literal names. */
export type NamedRoute = Route & { readonly name: RouteName; readonly resource: ResourceName };
export type NamedFile = FileRow & {
  readonly name: (typeof FILE_ROWS)[number]["name"];
  readonly resource: ResourceName;
};
export type NamedRow = NamedRoute | NamedFile;

/** The API's routes. */
export const ROUTES: readonly NamedRoute[] = ROUTE_ROWS;
/** The files next to the API. */
export const FILES: readonly NamedFile[] = FILE_ROWS;
export const ROWS: readonly NamedRow[] = [...ROUTES, ...FILES];

/** The text types that assets may have. */
const ASSET_TYPES = ["text/css", "text/javascript", "application/javascript"];

/** Media types without parameters that the shim and every front compress. */
export const COMPRESSED_TYPES: readonly string[] = [
  ...new Set(
    [CONTENT_TYPE, ...FILES.flatMap(({ contentType }) => contentType ?? ASSET_TYPES)].map((type) =>
      type.replace(/;.*/, ""),
    ),
  ),
];
