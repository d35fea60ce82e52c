/**
 * Divides the block in progress into settled, accepted, closed and open work (docs/spec/api.md#process). All parts
 * except the settled one are projections, which the API calls optimistic.
 */
import type { Process } from "../../../src/client/create-client.ts";

export type PartName = "settled" | "accepted" | "closed" | "open";

export interface BlockPart {
  readonly name: PartName;
  /** All units in this state, or ever settled. */
  readonly total: bigint;
  /** The units of this state in this block, and the number of units below them. */
  readonly inBlock: bigint;
  readonly from: bigint;
}

export interface FillingBlock {
  readonly number: bigint;
  readonly workPerBlock: bigint;
  readonly filled: bigint;
  readonly parts: readonly BlockPart[];
  /** Full blocks that are not settled. */
  readonly completed: bigint;
}

/** Returns `undefined` without a builder. If the queue is unknown, all closed work counts as not accepted. */
export function fillingBlock({ builder, settlementQueue }: Process): FillingBlock | undefined {
  if (builder.status === "unavailable") return undefined;
  const { anchor, queued, projected } = builder;
  const closedWork = BigInt(queued.closedWorkUnits);
  const buffered = settlementQueue.status === "available" ? BigInt(settlementQueue.buffered.workUnits) : 0n;
  const accepted = buffered < closedWork ? buffered : closedWork;
  const totals: readonly (readonly [PartName, bigint])[] = [
    ["settled", BigInt(anchor.cumulativeWork)],
    ["accepted", accepted],
    ["closed", closedWork - accepted],
    ["open", BigInt(queued.openRoundWorkUnits)],
  ];
  const start = BigInt(projected.cumulativeWork) - BigInt(projected.currentWork);
  let reached = 0n;
  const parts = totals.map(([name, total]) => {
    const from = reached > start ? reached - start : 0n;
    reached += total;
    const to = reached > start ? reached - start : 0n;
    return { name, total, from, inBlock: to - from };
  });
  return {
    number: BigInt(projected.blockHeight) + 1n,
    workPerBlock: BigInt(projected.workPerBlock),
    filled: BigInt(projected.currentWork),
    completed: BigInt(projected.completedBlockCount),
    parts,
  };
}
