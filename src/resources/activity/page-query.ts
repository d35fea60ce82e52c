/** The query of a page of the activity (docs/spec/api.md#activity). */
import { uniqueParameters } from "../../http/request/query.ts";
import { CATEGORIES, type Category } from "./keys.ts";

export const ACTIVITY_LIMIT = { minimum: 1, maximum: 100, default: 40 } as const;
export const ACTIVITY_CURSOR_LENGTH = 512;

export interface ActivityQuery {
  readonly category: Category;
  /** 1 to 100. */
  readonly limit: number;
  /** Well formed; the page decodes it. */
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
