/** Determines the kind of a stored object from its key alone (docs/spec/publishing.md#keys). */
import {
  constantKey,
  INSTALLATIONS_KEY,
  isProbeKey,
  type LogRoot,
  PRIVATE_LOGS,
  PRIVATE_STATUS_KEY,
  PUBLIC_LOGS,
  parseCheckpointKey,
  STANDBY_KEY,
  STATUS_KEY,
} from "../http/keys.ts";
import { type Bundle, TILE_WIDTH, type Tile } from "../log/tiles.ts";
import { keyFault } from "../object-store/check-object.ts";
import { activityKey, CATEGORIES, type Category, parseActivityTileKey } from "../resources/activity/route.ts";
import { type ObservationTile, parseObservationTileKey } from "../resources/observations/route.ts";
import { onchainRoute } from "../resources/onchain/route.ts";
import { ASSETS_PREFIX } from "../resources/site/route.ts";
import { FILES, type NamedFile, type ResourceName, ROUTES } from "../resources/table.ts";
import { parseInstallationTelemetryKey, UNKNOWN_TELEMETRY_KEY } from "../resources/telemetry/route.ts";

export type Kind =
  | { readonly is: "lease" | "standby" | "private-status" | "index" | "template" | "probe" | "foreign" }
  /** `of` is the installation id in the key; undefined for the configured one. */
  | { readonly is: "response" | "constant"; readonly resource: ResourceName; readonly of?: string }
  | { readonly is: "head"; readonly category: Category }
  | { readonly is: "activity-tile"; readonly category: Category; readonly name: string }
  | ({ readonly is: "observation-tile" } & ObservationTile)
  | ({ readonly is: "checkpoint" } & LogPlace)
  | ({ readonly is: "bundle" } & LogPlace & Bundle)
  | ({ readonly is: "hash-tile" } & LogPlace & Tile)
  | { readonly is: "file"; readonly row: NamedFile }
  | { readonly is: "asset" };

const FIXED: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ...ROUTES.flatMap(({ resource, objects }) =>
    objects.map(({ key }): [string, Kind] => [key, { is: "response", resource }]),
  ),
  ...FILES.flatMap((row) => row.objects.map(({ key }): [string, Kind] => [key, { is: "file", row }])),
  ...onchainRoute.objects.map(({ key }): [string, Kind] => [constantKey(key), { is: "constant", resource: "onchain" }]),
  ...CATEGORIES.flatMap((category): [string, Kind][] => [
    [activityKey(category), { is: "head", category }],
    [constantKey(activityKey(category)), { is: "constant", resource: "activity" }],
  ]),
  [UNKNOWN_TELEMETRY_KEY, { is: "template" }],
  [STATUS_KEY, { is: "lease" }],
  [STANDBY_KEY, { is: "standby" }],
  [PRIVATE_STATUS_KEY, { is: "private-status" }],
  [INSTALLATIONS_KEY, { is: "index" }],
]);

export function kindOf(key: string): Kind {
  const fixed = FIXED.get(key);
  if (fixed !== undefined) return fixed;
  // An asset may have any name that a store can hold.
  if (keyFault(key) !== undefined) return { is: "foreign" };
  const observations = parseObservationTileKey(key);
  if (observations !== undefined) return { is: "observation-tile", ...observations };
  if (isProbeKey(key)) return { is: "probe" };
  const log = logKind(key);
  if (log !== undefined) return log;
  const tile = parseActivityTileKey(key);
  if (tile !== undefined) return { is: "activity-tile", ...tile };
  const of = parseInstallationTelemetryKey(key);
  if (of !== undefined) return { is: "response", resource: "telemetry", of };
  return { is: key.startsWith(ASSETS_PREFIX) ? "asset" : "foreign" };
}

/** The place of a log. */
export interface LogPlace {
  readonly root: LogRoot;
  readonly log: number;
}

/** A private log has neither tiles of hashes nor partial bundles. */
const LOG_FILE =
  /^((?:private\/(?=log\/\d+\/tile\/entries\/[\dx/]+$))?log\/)([1-9]\d{0,8})\/tile\/(entries|[0-7])\/((?:x\d{3}\/)*\d{3})(?:\.p\/([1-9]\d?|1\d\d|2[0-4]\d|25[0-5]))?$/;

function logKind(key: string): Kind | undefined {
  const checkpoint = parseCheckpointKey(key);
  if (checkpoint !== undefined) return { is: "checkpoint", ...checkpoint };
  const [, root = "", number, level, path = "", partial] = LOG_FILE.exec(key) ?? [];
  if (number === undefined) return undefined;
  const place = { root: root === PRIVATE_LOGS ? PRIVATE_LOGS : PUBLIC_LOGS, log: Number(number) } as const;
  const width = partial === undefined ? TILE_WIDTH : Number(partial);
  const bundle = { index: Number(path.replaceAll(/\D/g, "")), width };
  if (level === "entries") return { is: "bundle", ...place, ...bundle };
  return { is: "hash-tile", ...place, level: Number(level), ...bundle };
}
