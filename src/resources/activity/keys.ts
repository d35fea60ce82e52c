/** The objects of the activity: a head for each category, and its tiles (docs/spec/publishing.md#objects). */
import { pathKey } from "../../http/keys.ts";

export const ACTIVITY_PATH = "/v1/public/activity";
export const CATEGORIES = ["all", "protocol", "players", "measurement"] as const;
export type Category = (typeof CATEGORIES)[number];

/** The head of a category's feed. */
export function activityKey(category: Category): string {
  return pathKey(ACTIVITY_PATH, category);
}

/** The prefix of the keys of a category's tiles. */
export function activityTilesPrefix(category: Category): string {
  return `${activityKey(category)}/tiles/`;
}

/** An immutable tile of a category's feed; `name` is the hash of its text. */
export function activityTileKey(category: Category, name: string): string {
  return activityTilesPrefix(category) + name;
}

/** The reverse of `activityTileKey`; `undefined` for any other key. */
export function parseActivityTileKey(key: string): { readonly category: Category; readonly name: string } | undefined {
  const [, category, name] = /^v1\/public\/activity\/([a-z]+)\/tiles\/([^/]+)$/.exec(key) ?? [];
  const known = CATEGORIES.find((one) => one === category);
  return known === undefined || name === undefined ? undefined : { category: known, name };
}
