/** docs/spec/api.md#legacy-settlements */
import { pathKey } from "../../http/keys.ts";
import type { Route } from "../../http/route.ts";
import { SETTLEMENT_RANGES, SETTLEMENTS_RULES, type SettlementRange } from "../settlements/route.ts";

const PATH = "/v3/public/settlements";

export function legacySettlementsKey(range: SettlementRange): string {
  return pathKey(PATH, range);
}

export const legacySettlementsRoute = {
  ...SETTLEMENTS_RULES,
  name: "settlements-legacy",
  resource: "settlements-legacy",
  anchor: "settlements-legacy",
  path: PATH,
  objects: SETTLEMENT_RANGES.map((range) => ({ query: `range=${range}`, key: legacySettlementsKey(range) })),
} as const satisfies Route;
