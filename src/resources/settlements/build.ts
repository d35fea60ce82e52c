/** docs/spec/api.md#settlements: the history of settlement batches with their mints, live or as it was saved. */
import type { CoreView, EconomyView } from "../../chain/chain-state.ts";
import { savedHistory } from "../../projections/settlements/saved-history.ts";
import type { Built } from "../built.ts";
import { durableAnswer, liveAnswer, unavailableAnswer } from "./answer.ts";
import { bindingText, readLive, type SettlementSources, whyNotLive } from "./live-read.ts";
import { mintOf } from "./mint.ts";
import { type QueueCandidate, queueProjectionOf } from "./queue-projection.ts";
import { type SettlementRange, settlementsKey } from "./route.ts";
import { settlementsSchema } from "./schema.ts";

/** `queue` is range=now with the queue projection asked for. */
export type SettlementsVariant = SettlementRange | "queue";

/** Throws where the body breaks a rule of its schema. `candidate` is read for the variant `queue` alone. */
export function buildSettlements(
  variant: SettlementsVariant,
  sources: SettlementSources,
  candidate: QueueCandidate | undefined,
  at: number,
): Built {
  const { chain } = sources;
  const range = rangeOf(variant);
  // The economy's reason takes the Core's into account, in the order of docs/spec/chain.md#reasons.
  const reason = whyNotLive(chain, chain.economy, at);
  if (chain.core.status === "available" && chain.economy.status === "available" && reason === undefined) {
    const [core, economy] = [chain.core.view, chain.economy.view];
    const queue = variant === "queue" ? queueProjectionOf(candidate, core.core, economy) : undefined;
    return live({ sources, core, economy, range, queueProjection: queue }, at);
  }
  return saved(variant, sources, reason ?? "indexer_unavailable");
}

export function rangeOf(variant: SettlementsVariant): SettlementRange {
  return variant === "queue" ? "now" : variant;
}

interface LiveParts {
  readonly sources: SettlementSources;
  readonly core: CoreView;
  readonly economy: EconomyView;
  readonly range: SettlementRange;
  readonly queueProjection: unknown;
}

function live({ sources, core, economy, range, queueProjection }: LiveParts, at: number): Built {
  const { envelope, chain, history, until } = readLive(sources, core, range, at);
  const body = settlementsSchema.parse({
    schemaVersion: 4,
    ...envelope,
    chain,
    economy: {
      releaseId: economy.releaseId,
      mining: economy.mining,
      token: economy.token,
      symbol: economy.symbol,
      decimals: 18,
    },
    window: history.window,
    summary: history.summary,
    recentSettlements: history.recent.map(({ settlement, fields }) => ({
      ...fields,
      mint: mintOf(sources.projections, economy, settlement, BigInt(fields.completedBlockCount ?? "0")),
    })),
    buckets: history.buckets,
    ...(queueProjection === undefined ? {} : { queueProjection }),
  });
  return liveAnswer(body, until);
}

/** Without a configured source there is nothing whose history could be saved. */
function saved(
  variant: SettlementsVariant,
  { installationId, chain, projections }: SettlementSources,
  reason: Parameters<typeof durableAnswer>[2],
): Built {
  const range = rangeOf(variant);
  if (chain.binding !== undefined && reason !== "indexer_disabled") {
    const binding = bindingText(installationId, range, chain.binding, "v4");
    const body = savedHistory(projections, settlementsKey(variant), binding);
    const answer = body === undefined ? undefined : durableAnswer(body, settlementsSchema, reason);
    if (answer !== undefined) return answer;
  }
  return unavailableAnswer(
    settlementsSchema.parse({ schemaVersion: 4, installationId, status: "unavailable", range, reason }),
  );
}
