/** Constants, assets and answers that something names, and whether they are there. */
import { ASSETS_PREFIX } from "../../resources/site/route.ts";
import { ROUTES } from "../../resources/table.ts";
import type { Facts } from "../facts.ts";
import type { Finding } from "../rules.ts";

/** By the path, its query included, as the publisher names an answer that it has put. */
const KEYS: ReadonlyMap<string, string> = new Map(
  ROUTES.flatMap(({ path, objects }) =>
    objects.map(({ query, key }): [string, string] => [query === "" ? path : `${path}?${query}`, key]),
  ),
);

export function* namedFindings({ named, keys, lease }: Facts): Generator<Finding> {
  for (const [by, names] of named) {
    for (const key of new Set(names)) {
      if (keys.has(key)) continue;
      const rule = key.startsWith(ASSETS_PREFIX) ? "asset-missing" : "constant-missing";
      yield { rule, key, says: `${by} names it, and it is not there` };
    }
  }
  for (const path of lease?.answers ?? []) {
    const key = KEYS.get(path);
    if (key === undefined || keys.has(key)) continue;
    yield { rule: "answer-missing", key, says: `the publisher says that it has put ${path}, and it is not there` };
  }
}
