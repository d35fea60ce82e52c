/**
 * The queue projection of range=now&queue=1 (docs/spec/api.md#settlements-queue): what the submission
 * under way would settle. It is neither settled work nor confirmed minting.
 */
import type { CoreView, EconomyView } from "../../chain/chain-state.ts";
import { UINT256_MAX } from "../../values/decimal.ts";
import { completedBlocks } from "./history/history.ts";

/** The submission with the highest preparedAt among those in preparing, submitted or retrying. */
export interface QueueCandidate {
  readonly previousSettledThroughRound: bigint;
  readonly settledThroughRound: bigint;
  readonly activeRoundCount: number;
  readonly expected: { readonly blockHeight: bigint; readonly completedBlockCount: bigint };
}

/** `undefined` where there is no candidate, or it is not aligned, or reward weights change inside it. */
export function queueProjectionOf(
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

/** It starts at the safe frontier and completes the blocks that it says it does. */
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
