/** Whether each BatchSettled continues the one before (design 3, Reading 7). */
import type { ChainEvent } from "../view/chain-state.ts";

/** What one settlement leaves behind; all zero before the first. */
export interface Frontier {
  readonly settledThroughRound: bigint;
  readonly cumulativeWork: bigint;
  readonly blockHeight: bigint;
}

export const NOTHING_SETTLED: Frontier = { settledThroughRound: 0n, cumulativeWork: 0n, blockHeight: 0n };

const MOST_ACTIVE_ROUNDS = 16n;

export function isSettlement(event: ChainEvent): boolean {
  return event.contractKind === "core" && event.eventName === "BatchSettled";
}

export function frontierOf(settlement: ChainEvent): Frontier {
  return {
    settledThroughRound: integer(settlement, "settledThroughRound"),
    cumulativeWork: integer(settlement, "cumulativeWork"),
    blockHeight: integer(settlement, "blockHeight"),
  };
}

/** Where a batch does not continue `before`, in words for the operator; undefined where it does. */
export function discontinuity(before: Frontier, settlement: ChainEvent): string | undefined {
  const previous = integer(settlement, "previousSettledThroughRound");
  const active = integer(settlement, "activeRoundCount");
  const after = frontierOf(settlement);
  const where = `the batch in block ${settlement.blockNumber}`;
  if (previous !== before.settledThroughRound) {
    return `${where} continues round ${previous}, not ${before.settledThroughRound}`;
  }
  if (after.settledThroughRound <= previous) return `${where} settles no round`;
  if (after.cumulativeWork < before.cumulativeWork) return `${where} has less cumulative work than the one before`;
  if (after.blockHeight < before.blockHeight) return `${where} has a lower block height than the one before`;
  if (active > MOST_ACTIVE_ROUNDS) return `${where} has ${active} active rounds`;
  return undefined;
}

/** An argument of an event as an integer. */
export function integer(event: ChainEvent, name: string): bigint {
  const argument = event.arguments.find((one) => one.name === name);
  if (argument === undefined) throw new Error(`${event.eventName} has no argument ${name}`);
  return BigInt(argument.value);
}
