/**
 * Every object key is built and parsed here (design 1, "What is stored"). A key is the URL path without its first
 * slash, and what a query selects is one more segment. An installation id stands behind `~`, so that none is ever
 * a raw path segment (`..` matches the API's pattern).
 */
import { isInstallationId } from "../values/installation-id.ts";

export const RANGES = ["7d", "30d"] as const;
export type StatisticsRange = (typeof RANGES)[number];
export const SETTLEMENT_RANGES = ["now", "24h", "7d", "30d"] as const;
export type SettlementRange = (typeof SETTLEMENT_RANGES)[number];
export const CATEGORIES = ["all", "protocol", "players", "measurement"] as const;
export type Category = (typeof CATEGORIES)[number];

/** Positions in one tile of the observations' history, and events in one tile of the activity feed. */
export const TILE_SIZE = 128;

export const TELEMETRY_KEY = "v1/public/telemetry";
export const MODULES_KEY = "v1/public/modules";
export const PROCESS_KEY = "v4/public/process";
export const ONCHAIN_KEY = "v4/public/onchain";
/** Names the installations and their histories; an id that is not in it costs no read. */
export const INSTALLATIONS_KEY = "installations";
/** The telemetry of an installation that nobody has heard of, with `{installationId}` where its id belongs. */
export const UNKNOWN_TELEMETRY_KEY = "v1/public/installations/telemetry";
/** The lease and the publisher's last word on itself. */
export const STATUS_KEY = "status.json";
/** Written anew by whoever waits for the lease. */
export const STANDBY_KEY = "standby.json";

export function statisticsKey(range: StatisticsRange): string {
  return `v2/public/stats/${range}`;
}

/** `queue` is the answer to `range=now&queue=1`. */
export function settlementsKey(range: SettlementRange | "queue"): string {
  return `v4/public/settlements/${range}`;
}

export function legacySettlementsKey(range: SettlementRange): string {
  return `v3/public/settlements/${range}`;
}

/** The head of a category's feed. */
export function activityKey(category: Category): string {
  return `v1/public/activity/${category}`;
}

/** What the keys of a category's tiles begin with. */
export function activityTilesPrefix(category: Category): string {
  return `v1/public/activity/${category}/tiles/`;
}

/** An immutable tile of a category's feed; `name` is `<history>-<epoch>-<hash>`. */
export function activityTileKey(category: Category, name: string): string {
  return activityTilesPrefix(category) + name;
}

/** The reverse of `activityTileKey`; `undefined` for any other key. */
export function parseActivityTileKey(key: string): { readonly category: Category; readonly name: string } | undefined {
  const [, category, name] = /^v1\/public\/activity\/([a-z]+)\/tiles\/([^/]+)$/.exec(key) ?? [];
  const known = CATEGORIES.find((one) => one === category);
  return known === undefined || name === undefined ? undefined : { category: known, name };
}

/** The constant answer that takes over when a chain view's word has run out (design 1, 4). */
export function constantKey(key: string): string {
  return `${key}/unavailable`;
}

/** The telemetry of an installation other than the configured one, which has `TELEMETRY_KEY`. */
export function installationTelemetryKey(installationId: string): string {
  return `v1/public/installations/~${installationId}/telemetry`;
}

/** What stands before an installation's histories. */
export function observationsKey(installationId: string): string {
  return `v1/public/installations/~${installationId}/observations`;
}

/** Tile n holds the positions n·128 + 1 to (n + 1)·128 of one history. */
export function observationTileKey(installationId: string, history: string, tile: number): string {
  return `${observationsKey(installationId)}/${history}/${tile}`;
}

/** The tile that holds a position. */
export function tileOf(position: number): number {
  return Math.floor((position - 1) / TILE_SIZE);
}

export interface ObservationTile {
  readonly installationId: string;
  readonly history: string;
  readonly tile: number;
}

/** The reverse of `observationTileKey`; `undefined` for any other key. */
export function parseObservationTileKey(key: string): ObservationTile | undefined {
  const match = /^v1\/public\/installations\/~([^/]+)\/observations\/([^/]+)\/(0|[1-9]\d*)$/.exec(key);
  if (match === null) return undefined;
  const [, installationId = "", history = "", tile = ""] = match;
  return isInstallationId(installationId) ? { installationId, history, tile: Number(tile) } : undefined;
}

/** The reverse of `installationTelemetryKey`. */
export function parseInstallationTelemetryKey(key: string): string | undefined {
  const match = /^v1\/public\/installations\/~([^/]+)\/telemetry$/.exec(key);
  return match?.[1] !== undefined && isInstallationId(match[1]) ? match[1] : undefined;
}
