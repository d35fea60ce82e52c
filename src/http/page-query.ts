/** The two routes that read a page: what their queries ask for (read-api.md 4.3 and 4.8). */
import { CATEGORIES, type Category } from "./keys.ts";
import { decodeObservationCursor } from "./observation-cursor.ts";
import { parseQuery, uniqueParameters } from "./query.ts";

export const OBSERVATIONS_LIMIT = { minimum: 1, maximum: 100, default: 100 } as const;
export const ACTIVITY_LIMIT = { minimum: 1, maximum: 100, default: 40 } as const;
export const ACTIVITY_CURSOR_LENGTH = 512;

export interface ObservationsQuery {
  /** Only receipts of higher positions; 0 for the start of history. */
  readonly after: number;
  /** 1 to 100. */
  readonly limit: number;
}

/**
 * `undefined` for an invalid cursor, the only mistake there is. Of a repeated parameter the first counts; a piece that
 * does not decode is passed over, unless it is the first cursor.
 */
export function observationsQuery(query: string): ObservationsQuery | undefined {
  const pieces = parseQuery(query);
  const cursor = pieces.find(({ name }) => name === "cursor");
  const after = cursor === undefined ? 0 : decodeObservationCursor(cursor.value ?? "");
  if (after === undefined) return undefined;
  const limit = pieces.find(({ name, value }) => name === "limit" && value !== undefined);
  return { after, limit: limit?.value === undefined ? OBSERVATIONS_LIMIT.default : observationsLimit(limit.value) };
}

/** `Number(value)`: an integer is clamped, all else is the default; never rejected (read-api.md 4.3). */
export function observationsLimit(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number)) return OBSERVATIONS_LIMIT.default;
  return Math.min(Math.max(number, OBSERVATIONS_LIMIT.minimum), OBSERVATIONS_LIMIT.maximum);
}

export interface ActivityQuery {
  readonly category: Category;
  /** 1 to 100. */
  readonly limit: number;
  /** Well formed; whether it decodes is for the page to say. */
  readonly cursor?: string;
}

/** `undefined` for an invalid query. */
export function activityQuery(query: string): ActivityQuery | undefined {
  const parameters = uniqueParameters(query);
  if (parameters === undefined) return undefined;
  if ([...parameters.keys()].some((name) => name !== "category" && name !== "limit" && name !== "cursor")) {
    return undefined;
  }
  const category = CATEGORIES.find((known) => known === (parameters.get("category") ?? "all"));
  const limit = parameters.get("limit") ?? String(ACTIVITY_LIMIT.default);
  const cursor = parameters.get("cursor");
  if (category === undefined || !/^(?:[1-9][0-9]?|100)$/.test(limit)) return undefined;
  if (cursor === undefined) return { category, limit: Number(limit) };
  const wellFormed = cursor.length <= ACTIVITY_CURSOR_LENGTH && /^[A-Za-z0-9_-]+$/.test(cursor);
  return wellFormed ? { category, limit: Number(limit), cursor } : undefined;
}
