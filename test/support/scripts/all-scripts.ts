/** The HTTP scripts that every front must follow: the files in test/scripts, and the exchanges of every route. */
import { readdirSync, readFileSync } from "node:fs";
import { ROWS } from "../../../src/resources/table.ts";
import { type Exchange, parseExchanges } from "../../../src/verify/exchanges/format.ts";
import { exchangesEverywhere, exchangesOf, isExchanged } from "../../../src/verify/exchanges/of-row.ts";

const DIRECTORY = new URL("../../scripts/", import.meta.url);

export interface Script {
  readonly name: string;
  readonly blocks: readonly Exchange[];
}

/**
 * False for a path that a URL parser changes or cannot decode. Some fronts refuse it (docs/spec/api.md#malformed-http).
 */
export function isNormalised(target: string): boolean {
  return !/^[^?#]*(?:\\|\/(?:\.|%2e){1,2}(?:[/?#]|$)|%(?:00|(?![0-9a-f]{2})))/i.test(target);
}

/** The scripts without paths that are not normalised. */
export function normalisedScripts(): Script[] {
  return allScripts().map(({ name, blocks }) => ({
    name,
    blocks: blocks.map((block) => ({
      ...block,
      requests: block.requests.filter(({ target }) => isNormalised(target)),
    })),
  }));
}

export function allScripts(): Script[] {
  const written = readdirSync(DIRECTORY)
    .filter((name) => name.endsWith(".http-script"))
    .map((name) => ({ name, blocks: parseExchanges(name, readFileSync(new URL(name, DIRECTORY), "utf8")) }));
  const rows = ROWS.filter(isExchanged).map((row) => ({ name: `exchanges of ${row.name}`, blocks: exchangesOf(row) }));
  return [...written, ...rows, { name: "exchanges everywhere", blocks: exchangesEverywhere() }];
}
