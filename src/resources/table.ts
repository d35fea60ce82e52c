/**
 * The table of routes: one line for each. The shim's routing, the CDN files, the OpenAPI document, the client and
 * `noonmark verify` are all read from it, so that they cannot disagree. Its rows are data without dependencies, so that
 * a Worker can load them.
 */
import type { Route } from "../http/route.ts";
import { activityRoute } from "./activity/route.ts";
import { modulesRoute } from "./modules/route.ts";
import { observationsRoute } from "./observations/route.ts";
import { onchainRoute } from "./onchain/route.ts";
import { processRoute } from "./process/route.ts";
import { settlementsRoute } from "./settlements/route.ts";
import { legacySettlementsRoute } from "./settlements-legacy/route.ts";
import { statisticsRoute } from "./statistics/route.ts";
import { installationTelemetryRoute, telemetryRoute } from "./telemetry/route.ts";

const ROWS = [
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

export type RouteName = (typeof ROWS)[number]["name"];
/** As `--only` and reports name it. */
export type ResourceName = (typeof ROWS)[number]["resource"];
/** A row of the table, its names known. */
export type NamedRoute = Route & { readonly name: RouteName; readonly resource: ResourceName };

export const ROUTES: readonly NamedRoute[] = ROWS;
export const RESOURCE_NAMES: readonly ResourceName[] = [...new Set(ROWS.map(({ resource }) => resource))];
