/** The contract of each row of the table. TypeScript reports a row without one. */
import { activityContract } from "./activity/contract.ts";
import type { Contract } from "./contract.ts";
import { logCheckpointContract } from "./log/contract.ts";
import { modulesContract } from "./modules/contract.ts";
import { observationsContract } from "./observations/contract.ts";
import { onchainContract } from "./onchain/contract.ts";
import { processContract } from "./process/contract.ts";
import { publicationStatusContract } from "./publication-status/contract.ts";
import { settlementsContract } from "./settlements/contract.ts";
import { legacySettlementsContract } from "./settlements-legacy/contract.ts";
import { deploymentContract, openapiContract } from "./site/contract.ts";
import { statisticsContract } from "./statistics/contract.ts";
import { FILES, type NamedFile, type NamedRow, ROUTES, type RouteName } from "./table.ts";
import { installationTelemetryContract, telemetryContract } from "./telemetry/contract.ts";

/** A route's body is JSON and always has a schema. */
export type RouteContract = Contract & { readonly body: NonNullable<Contract["body"]> };

const ROUTE_CONTRACTS: Readonly<Record<RouteName, RouteContract>> = {
  telemetry: telemetryContract,
  "installation-telemetry": installationTelemetryContract,
  modules: modulesContract,
  observations: observationsContract,
  process: processContract,
  statistics: statisticsContract,
  onchain: onchainContract,
  settlements: settlementsContract,
  activity: activityContract,
  "settlements-legacy": legacySettlementsContract,
};

/** Null for files that only people read. */
const FILE_CONTRACTS: Readonly<Record<NamedFile["name"], Contract | null>> = {
  page: null,
  docs: null,
  asset: null,
  openapi: openapiContract,
  "publication-status": publicationStatusContract,
  deployment: deploymentContract,
  robots: null,
  favicon: null,
  "log-tile": null,
  "log-end": logCheckpointContract,
};

export function routeContract(name: RouteName): RouteContract {
  return ROUTE_CONTRACTS[name];
}

export interface Operation {
  readonly row: NamedRow;
  readonly contract: Contract;
}

/** The rows that programs read, in the order of the table. */
export const OPERATIONS: readonly Operation[] = [
  ...ROUTES.map((row) => ({ row, contract: ROUTE_CONTRACTS[row.name] })),
  ...FILES.flatMap((row) => {
    const contract = FILE_CONTRACTS[row.name];
    return contract === null ? [] : [{ row, contract }];
  }),
];

/** Returns each accepted query of a row, for pages only those of first pages; `[""]` for just the bare path. */
export function plainQueries(row: NamedRow): readonly string[] {
  if (row.kind === "file" || row.query === "ignored") return [""];
  if (row.query === "listed") return row.objects.map(({ query }) => query);
  for (const { name, form } of routeContract(row.name).parameters ?? []) {
    if (form !== "cursor" && form.type === "string") return form.enum.map((value) => `${name}=${value}`);
  }
  return [""];
}

/** Returns a row's URLs as path and query; `installationId` must be percent-encoded. */
export function plainTargets(row: NamedRow, installationId: string): string[] {
  const path = row.path.replace("{installationId}", installationId);
  return plainQueries(row).map((query) => (query === "" ? path : `${path}?${query}`));
}
