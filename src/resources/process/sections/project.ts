/**
 * docs/spec/api.md#process-builder, `projected`: the Core as it would be with more work. Optimistic: no settlement and no
 * reward.
 */
import type { SafeCoreState } from "../../../chain/chain-state.ts";
import type { Projected } from "../schema.ts";

/** `added` is the work (units) beyond the settled work; blocks are those that the safe Core has not completed. */
export function project(core: SafeCoreState, added: bigint): Projected {
  const { workPerBlock } = core;
  const cumulativeWork = core.cumulativeWork + added;
  // A Core that breaks rule 1 is for the schema to name, not for a division by zero.
  const blockHeight = workPerBlock > 0n ? cumulativeWork / workPerBlock : core.blockHeight;
  const completed = blockHeight - core.blockHeight;
  return {
    lifecycle: "optimistic",
    cumulativeWork: String(cumulativeWork),
    blockHeight: String(blockHeight),
    currentWork: String(workPerBlock > 0n ? cumulativeWork % workPerBlock : core.currentWork),
    workPerBlock: String(workPerBlock),
    firstCompletedBlock: completed > 0n ? String(core.blockHeight + 1n) : null,
    lastCompletedBlock: completed > 0n ? String(blockHeight) : null,
    completedBlockCount: String(completed),
  };
}
