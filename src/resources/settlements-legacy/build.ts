/** docs/spec/api.md#legacy-settlements: the legacy history of settlement batches, work only, from the Core alone. */

import { savedHistory } from "../../projections/settlements/saved-history.ts";
import type { Built } from "../built.ts";
import { durableAnswer, liveAnswer, unavailableAnswer } from "../settlements/answer.ts";
import { bindingText, readLive, type SettlementSources, whyNotLive } from "../settlements/live-read.ts";
import type { SettlementRange } from "../settlements/route.ts";
import { legacySettlementsKey } from "./route.ts";
import { legacySettlementsSchema } from "./schema.ts";

/** Throws where the body breaks a rule of #settlements-rules. */
export function buildLegacySettlements(range: SettlementRange, sources: SettlementSources, at: number): Built {
  const { chain } = sources;
  const reason = whyNotLive(chain, chain.core, at);
  if (chain.core.status === "available" && reason === undefined) {
    const read = readLive(sources, chain.core.view, range, at);
    const body = legacySettlementsSchema.parse({
      schemaVersion: 3,
      ...read.envelope,
      chain: read.chain,
      window: read.history.window,
      summary: read.history.summary,
      recentSettlements: read.history.recent.map(({ fields }) => fields),
      buckets: read.history.buckets,
    });
    return liveAnswer(body, read.until);
  }
  return saved(range, sources, reason ?? "indexer_unavailable");
}

/** Falls back with or without an economy: its source is the Core (docs/spec/api.md#legacy-settlements). */
function saved(
  range: SettlementRange,
  { installationId, chain, projections }: SettlementSources,
  reason: Parameters<typeof durableAnswer>[2],
): Built {
  if (chain.binding !== undefined && reason !== "indexer_disabled") {
    const binding = bindingText(installationId, range, chain.binding, "v3");
    const body = savedHistory(projections, legacySettlementsKey(range), binding);
    const answer = body === undefined ? undefined : durableAnswer(body, legacySettlementsSchema, reason);
    if (answer !== undefined) return answer;
  }
  return unavailableAnswer(
    legacySettlementsSchema.parse({ schemaVersion: 3, installationId, status: "unavailable", range, reason }),
  );
}
