/**
 * The cursor of the activity (docs/spec/api.md#activity-order): category and key of the last event returned, as unpadded
 * base64url, opaque to readers. `btoa` and `atob` because the shim also runs without Buffer.
 */
import { isActivityKey } from "../../values/activity-key.ts";
import type { Category } from "./keys.ts";

export function encodeActivityCursor(category: Category, key: string): string {
  return btoa(`${category}:${key}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The key; undefined where the token is not ours, not in its one form, or of another category. */
export function decodeActivityCursor(category: Category, cursor: string): string | undefined {
  let text: string;
  try {
    text = atob(cursor.replaceAll("-", "+").replaceAll("_", "/"));
  } catch {
    return undefined;
  }
  const key = text.slice(category.length + 1);
  const isOurs = text.startsWith(`${category}:`) && isActivityKey(key);
  return isOurs && encodeActivityCursor(category, key) === cursor ? key : undefined;
}
