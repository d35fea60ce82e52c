/** Builds the legacy history of batches (docs/spec/api.md#legacy-settlements): work only, from the Core only. */

import type { Built } from "../built.ts";
import { readLive, renderLive, renderSaved, type SettlementSources, whyNotLive } from "../settlements/live-or-saved.ts";
import type { SettlementRange } from "../settlements/route.ts";
import { legacySettlementsSchema } from "./contract.ts";

/** Throws if the body breaks a rule of docs/spec/api.md#settlements-rules. */
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
    return renderLive(body, read.until);
  }
  // The fallback does not depend on the economy, because the source is the Core.
  const saved = { schemaVersion: 3, range, schema: legacySettlementsSchema } as const;
  return renderSaved(saved, sources, reason ?? "indexer_unavailable");
}
