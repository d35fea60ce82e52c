/** The query of a page of observations (docs/spec/api.md#observations). */
import { parseQuery } from "../../http/request/query.ts";
import { decodeObservationCursor } from "./cursor.ts";

export const OBSERVATIONS_LIMIT = { minimum: 1, maximum: 100, default: 100 } as const;

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

/** `Number(value)`: an integer is clamped, all else is the default; never rejected. */
export function observationsLimit(value: string): number {
  const number = Number(value);
  if (!Number.isInteger(number)) return OBSERVATIONS_LIMIT.default;
  return Math.min(Math.max(number, OBSERVATIONS_LIMIT.minimum), OBSERVATIONS_LIMIT.maximum);
}
