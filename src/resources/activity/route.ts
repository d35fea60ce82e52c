/**
 * The route of activity (docs/spec/api.md#activity): its row, query and cursor, and the keys of its objects
 * (docs/spec/publishing.md#objects).
 */

import { NO_STORE } from "../../http/common-headers.ts";
import { pathKey } from "../../http/keys.ts";
import { uniqueParameters } from "../../http/request.ts";
import { BLOCKS_EDGE_SECONDS, limitPattern, ROUTE_RULES, type Route } from "../../http/route.ts";
import { isActivityKey } from "../../values/activity-key.ts";
import { base64Url, base64UrlText } from "../../values/base64.ts";

export const ACTIVITY_PATH = "/v1/public/activity";
export const CATEGORIES = ["all", "protocol", "players", "measurement"] as const;
export type Category = (typeof CATEGORIES)[number];

/** Returns the name of a category's tiles, as a part of the projections. */
export function tilesPart(category: Category): string {
  return `activity tiles of ${category}`;
}

/**
 * Milliseconds for which a tile is kept after no root names it (docs/spec/publishing.md#deletions). Caches and readers
 * keep a root for seconds.
 */
export const TILE_KEPT_MS = 3_600_000;

/** Returns the key of a category's root. */
export function activityKey(category: Category): string {
  return pathKey(ACTIVITY_PATH, category);
}

/** Returns the prefix of the keys of a category's tiles. */
export function activityTilesPrefix(category: Category): string {
  return `${activityKey(category)}/tiles/`;
}

/** Returns the key of an immutable tile; `name` is the hash of its text. */
export function activityTileKey(category: Category, name: string): string {
  return activityTilesPrefix(category) + name;
}

/** Parses a key of `activityTileKey`; returns `undefined` for any other key. */
export function parseActivityTileKey(key: string): { readonly category: Category; readonly name: string } | undefined {
  const [, category, name] = /^v1\/public\/activity\/([a-z]+)\/tiles\/([^/]+)$/.exec(key) ?? [];
  const known = CATEGORIES.find((one) => one === category);
  return known === undefined || name === undefined ? undefined : { category: known, name };
}

/** Events of a page. */
export const ACTIVITY_LIMIT = { minimum: 1, maximum: 100, default: 40 } as const;
/** A page that begins with the last event of a tile is full after the next tile. So a page reads at most two tiles. */
export const MINIMUM_TILE_EVENTS = ACTIVITY_LIMIT.maximum - 1;
export const ACTIVITY_CURSOR_LENGTH = 512;

export interface ActivityQuery {
  readonly category: Category;
  /** Within ACTIVITY_LIMIT. */
  readonly limit: number;
  /** Well-formed; `decodeActivityCursor` decodes it. */
  readonly cursor?: string;
}

/** Parses a page's query; returns `undefined` if it is invalid. */
export function activityQuery(query: string): ActivityQuery | undefined {
  const parameters = uniqueParameters(query);
  if (parameters === undefined) return undefined;
  if ([...parameters.keys()].some((name) => name !== "category" && name !== "limit" && name !== "cursor")) {
    return undefined;
  }
  const category = CATEGORIES.find((known) => known === (parameters.get("category") ?? "all"));
  const limit = parameters.get("limit") ?? String(ACTIVITY_LIMIT.default);
  const cursor = parameters.get("cursor");
  if (category === undefined || !isActivityLimit(limit)) return undefined;
  if (cursor === undefined) return { category, limit: Number(limit) };
  const wellFormed = cursor.length <= ACTIVITY_CURSOR_LENGTH && /^[A-Za-z0-9_-]+$/.test(cursor);
  return wellFormed ? { category, limit: Number(limit), cursor } : undefined;
}

/** True for a canonical decimal integer within ACTIVITY_LIMIT. Observations accept other limits; activity does not. */
function isActivityLimit(text: string): boolean {
  const { minimum, maximum } = ACTIVITY_LIMIT;
  const limit = Number(text);
  return String(limit) === text && Number.isInteger(limit) && limit >= minimum && limit <= maximum;
}

/** Encodes the cursor (docs/spec/api.md#activity-order): category and key of the last returned event. */
export function encodeActivityCursor(category: Category, key: string): string {
  return base64Url(`${category}:${key}`);
}

/** Returns the key; undefined if the cursor is invalid, not canonical, or of another category. */
export function decodeActivityCursor(category: Category, cursor: string): string | undefined {
  const text = base64UrlText(cursor);
  const key = text?.slice(category.length + 1);
  return text?.startsWith(`${category}:`) && key !== undefined && isActivityKey(key) ? key : undefined;
}

export const activityRoute = {
  ...ROUTE_RULES,
  name: "activity",
  resource: "activity",
  anchor: "activity",
  path: ACTIVITY_PATH,
  handler: "activity",
  query: "handler",
  objects: [],
  parameters: [
    { name: "category", pattern: `(?:${CATEGORIES.join("|")})` },
    { name: "limit", pattern: limitPattern(ACTIVITY_LIMIT) },
    { name: "cursor", pattern: `[A-Za-z0-9_-]{1,${ACTIVITY_CURSOR_LENGTH}}` },
  ],
  parts: [`${pathKey(ACTIVITY_PATH)}/`],
  cacheControl: NO_STORE,
  edgeSeconds: BLOCKS_EDGE_SECONDS,
} as const satisfies Route;
