/**
 * The route of observations (docs/spec/api.md#observations): its row, query and cursor, and the keys of the tiles
 * (docs/spec/publishing.md#objects).
 */
import { INSTALLATIONS_KEY, pathKey, TILE_SIZE } from "../../http/keys.ts";
import { parseQuery } from "../../http/request.ts";
import { limitPattern, RECEIPTS_EDGE_SECONDS, ROUTE_RULES, type Route, STALE_IF_ERROR } from "../../http/route.ts";
import { base64Url, base64UrlText } from "../../values/base64.ts";
import { isInstallationId } from "../../values/installation-id.ts";

/** Returns the key prefix of an installation's tiles. */
export function observationsKey(installationId: string): string {
  return pathKey(`/v1/public/installations/~${installationId}/observations`);
}

/** Returns the key of tile n, which holds positions n·128 + 1 to (n + 1)·128 of an installation. */
export function observationTileKey(installationId: string, tile: number): string {
  return `${observationsKey(installationId)}/${tile}`;
}

/** Returns the number of the tile that holds a position. */
export function tileOf(position: number): number {
  return Math.floor((position - 1) / TILE_SIZE);
}

export interface ObservationTile {
  readonly installationId: string;
  readonly tile: number;
}

/** Parses a key of `observationTileKey`; returns `undefined` for any other key. */
export function parseObservationTileKey(key: string): ObservationTile | undefined {
  const match = /^v1\/public\/installations\/~([^/]+)\/observations\/(0|[1-9]\d{0,11})$/.exec(key);
  if (match === null) return undefined;
  const [, installationId = "", tile = ""] = match;
  return isInstallationId(installationId) ? { installationId, tile: Number(tile) } : undefined;
}

/** Encodes a position as a cursor: its decimal digits in base64url. */
export function encodeObservationCursor(position: number): string {
  return base64Url(String(position));
}

/** Returns a cursor's position; undefined if it is not canonical, not positive, or above 2^53 − 1. */
export function decodeObservationCursor(cursor: string): number | undefined {
  const text = /^[A-Za-z0-9_-]{2,24}$/.test(cursor) ? base64UrlText(cursor) : undefined;
  if (text === undefined || !/^[1-9][0-9]{0,15}$/.test(text)) return undefined;
  const position = Number(text);
  return Number.isSafeInteger(position) ? position : undefined;
}

/**
 * Items per page. `maximum` is at most TILE_SIZE, so a page needs at most two tiles. Readers rely on it: raise it only
 * together with the table in docs/spec/api.md#observations.
 */
export const OBSERVATIONS_LIMIT = { minimum: 1, maximum: 100, default: 100 } as const;

export interface ObservationsQuery {
  /** The page contains only receipts above this position; 0 for the start of history. */
  readonly after: number;
  /** Within OBSERVATIONS_LIMIT. */
  readonly limit: number;
}

/**
 * Parses a page's query. Returns `undefined` if the cursor is invalid; all else is accepted. If a parameter repeats,
 * the first counts. A piece that does not decode is ignored, unless it is the first cursor.
 */
export function observationsQuery(query: string): ObservationsQuery | undefined {
  const pieces = parseQuery(query);
  const cursor = pieces.find(({ name }) => name === "cursor");
  const after = cursor === undefined ? 0 : decodeObservationCursor(cursor.value ?? "");
  if (after === undefined) return undefined;
  const limit = pieces.find(({ name, value }) => name === "limit" && value !== undefined);
  return { after, limit: limit?.value === undefined ? OBSERVATIONS_LIMIT.default : observationsLimit(limit.value) };
}

/** Clamps an integer and replaces any other value by the default. No limit is rejected. */
function observationsLimit(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number)) return OBSERVATIONS_LIMIT.default;
  return Math.min(Math.max(number, OBSERVATIONS_LIMIT.minimum), OBSERVATIONS_LIMIT.maximum);
}

export const observationsRoute = {
  ...ROUTE_RULES,
  name: "observations",
  resource: "observations",
  anchor: "observations",
  path: "/v1/public/installations/{installationId}/observations",
  handler: "observations",
  query: "handler",
  objects: [],
  parameters: [
    { name: "cursor", pattern: "[A-Za-z0-9_-]{1,24}" },
    { name: "limit", pattern: limitPattern(OBSERVATIONS_LIMIT) },
  ],
  parts: [`${observationsKey("{installationId}")}/`, INSTALLATIONS_KEY, `${INSTALLATIONS_KEY}/`],
  queryError: "invalid_cursor",
  edgeSeconds: RECEIPTS_EDGE_SECONDS,
  staleIfErrorSeconds: STALE_IF_ERROR,
} as const satisfies Route;
