/** True if each BatchSettled continues the one before (docs/spec/chain.md#checks). */
import { MAX_ACTIVE_ROUNDS } from "../../values/settlement-limits.ts";
import type { ChainEvent } from "../chain-state.ts";
import { integerArgument } from "../store/read-events.ts";

/** The totals after one settlement; all zero before the first. */
export interface Frontier {
  readonly settledThroughRound: bigint;
  readonly cumulativeWork: bigint;
  readonly blockHeight: bigint;
}

export const NOTHING_SETTLED: Frontier = { settledThroughRound: 0n, cumulativeWork: 0n, blockHeight: 0n };

export function isSettlement(event: ChainEvent): boolean {
  return event.contractKind === "core" && event.eventName === "BatchSettled";
}

export function frontierOf(settlement: ChainEvent): Frontier {
  return {
    settledThroughRound: integerArgument(settlement, "settledThroughRound"),
    cumulativeWork: integerArgument(settlement, "cumulativeWork"),
    blockHeight: integerArgument(settlement, "blockHeight"),
  };
}

/** The difference, as a text for the operator, if a batch does not continue `before`. */
export function discontinuity(before: Frontier, settlement: ChainEvent): string | undefined {
  const previous = integerArgument(settlement, "previousSettledThroughRound");
  const active = integerArgument(settlement, "activeRoundCount");
  const after = frontierOf(settlement);
  const where = `the batch in block ${settlement.blockNumber}`;
  if (previous !== before.settledThroughRound) {
    return `${where} continues round ${previous}, not ${before.settledThroughRound}`;
  }
  if (after.settledThroughRound <= previous) return `${where} settles no round`;
  if (after.cumulativeWork < before.cumulativeWork) return `${where} has less cumulative work than the one before`;
  if (after.blockHeight < before.blockHeight) return `${where} has a lower block height than the one before`;
  if (active > MAX_ACTIVE_ROUNDS) return `${where} has ${active} active rounds`;
  return undefined;
}
