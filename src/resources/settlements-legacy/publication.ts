/** Publishes the legacy version of settlements (docs/spec/api.md#settlements-legacy). */

import type { Publication } from "../publication.ts";
import { historyInput, historyPublication } from "../settlements/publication.ts";
import { SETTLEMENT_RANGES } from "../settlements/route.ts";
import { buildLegacySettlements } from "./build.ts";
import { legacySettlementsKey } from "./route.ts";

export const legacySettlementsPublications: readonly Publication[] = SETTLEMENT_RANGES.map((range) => ({
  resource: "settlements-legacy",
  ...historyPublication(legacySettlementsKey(range), range),
  inputs: historyInput,
  build: (snapshot, at) => buildLegacySettlements(range, snapshot, at),
}));
