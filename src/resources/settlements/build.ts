/** Builds the history of settlement batches with their mints (docs/spec/api.md#settlements), live or saved. */
import type { CoreView, EconomyView } from "../../chain/chain-state.ts";
import { completedBlocks, fundedAmount, type Settlement } from "../../projections/settlements/settlements.ts";
import type { ReadOnlyDatabase } from "../../sqlite/statement.ts";
import { UINT256_MAX } from "../../values/decimal.ts";
import type { Built } from "../built.ts";
import { settlementsSchema } from "./contract.ts";
import { readLive, renderLive, renderSaved, type SettlementSources, whyNotLive } from "./live-or-saved.ts";
import type { SettlementRange } from "./route.ts";

/** `queue` is range=now plus the queue projection. */
export type SettlementsVariant = SettlementRange | "queue";

/** Throws if the body breaks a rule of its schema. `candidate` is used only by the variant `queue`. */
export function buildSettlements(
  variant: SettlementsVariant,
  sources: SettlementSources,
  candidate: QueueCandidate | undefined,
  at: number,
): Built {
  const { chain } = sources;
  const range = rangeOf(variant);
  // The economy's reason already includes the Core's, in the order of docs/spec/chain.md#reasons.
  const reason = whyNotLive(chain, chain.economy, at);
  if (chain.core.status === "available" && chain.economy.status === "available" && reason === undefined) {
    const [core, economy] = [chain.core.view, chain.economy.view];
    const queue = variant === "queue" ? queueProjectionOf(candidate, core.core, economy) : undefined;
    return live({ sources, core, economy, range, queueProjection: queue }, at);
  }
  const saved = { schemaVersion: 4, range, schema: settlementsSchema } as const;
  return renderSaved(saved, sources, reason ?? "indexer_unavailable");
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
  return renderLive(body, until);
}

/** Returns the mint of a batch (docs/spec/chain.md#derived). It is neither claimable nor claimed. */
function mintOf(
  projections: ReadOnlyDatabase,
  economy: EconomyView,
  { previousRound, settledRound }: Settlement,
  completedBlockCount: bigint,
): { state: "pending" | "confirmed"; amountBaseUnits: string } {
  return economy.mintedThroughRound >= settledRound
    ? { state: "confirmed", amountBaseUnits: String(fundedAmount(projections, previousRound, settledRound)) }
    : { state: "pending", amountBaseUnits: String(completedBlockCount * economy.baselineRewardPerBlock) };
}

/** The submission with the highest preparedAt that is preparing, submitted or retrying. */
export interface QueueCandidate {
  readonly previousSettledThroughRound: bigint;
  readonly settledThroughRound: bigint;
  readonly activeRoundCount: number;
  readonly expected: { readonly blockHeight: bigint; readonly completedBlockCount: bigint };
}

/**
 * Projects the settlement of a submission in progress (docs/spec/api.md#settlements-queue). It is neither settled work
 * nor a confirmed mint. `undefined` without a candidate, if it is not aligned, or if reward weights change inside it.
 */
function queueProjectionOf(
  candidate: QueueCandidate | undefined,
  core: CoreView["core"],
  economy: EconomyView,
): Readonly<Record<string, string | null>> | undefined {
  if (candidate === undefined || !isAligned(candidate, core) || weightsCross(candidate, core, economy))
    return undefined;
  const { blockHeight, completedBlockCount } = candidate.expected;
  const amount = completedBlockCount * economy.baselineRewardPerBlock;
  if (amount > UINT256_MAX) return undefined;
  return {
    state: "projected",
    previousSettledThroughRound: String(candidate.previousSettledThroughRound),
    settledThroughRound: String(candidate.settledThroughRound),
    activeRoundCount: String(candidate.activeRoundCount),
    previousBlockHeight: String(core.blockHeight),
    blockHeight: String(blockHeight),
    ...completedBlocks(core.blockHeight, blockHeight),
    amountBaseUnits: String(amount),
  };
}

/** True if the candidate starts at the safe frontier and its block count matches its heights. */
function isAligned({ previousSettledThroughRound, expected }: QueueCandidate, core: CoreView["core"]): boolean {
  return (
    previousSettledThroughRound === core.settledThroughRound &&
    expected.blockHeight - core.blockHeight === expected.completedBlockCount
  );
}

function weightsCross(candidate: QueueCandidate, core: CoreView["core"], economy: EconomyView): boolean {
  const activation = economy.rewardWeightActivationRound;
  return core.settledThroughRound < activation && activation <= candidate.settledThroughRound;
}
