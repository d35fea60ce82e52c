/**
 * docs/spec/api.md#process: the objects of the process snapshot that more than one place holds, with the rules on them.
 */
import * as z from "zod";
import { uint64String, uint256String } from "../../values/decimal.ts";
import { timestamp } from "../fields.ts";

const core = {
  cumulativeWork: uint256String,
  blockHeight: uint64String,
  currentWork: uint64String,
  workPerBlock: uint64String,
};

/** The settled frontier's numbers, and what holds for them. */
export const coreFields = core;

export function keepsRule1(value: { currentWork: string; workPerBlock: string }): boolean {
  return BigInt(value.workPerBlock) > 0n && BigInt(value.currentWork) < BigInt(value.workPerBlock);
}
export const RULE_1 = "rule 1: workPerBlock is strictly positive and currentWork is below it";

export const projectedSchema = z
  .strictObject({
    lifecycle: z.literal("optimistic"),
    ...core,
    firstCompletedBlock: uint64String.nullable(),
    lastCompletedBlock: uint64String.nullable(),
    completedBlockCount: uint64String,
  })
  .refine(keepsRule1, RULE_1)
  .refine(
    ({ firstCompletedBlock: first, lastCompletedBlock: last, completedBlockCount: count, blockHeight }) =>
      count === "0"
        ? first === null && last === null
        : first !== null && last === blockHeight && spanOf(first, last) === BigInt(count),
    "rule 2: first and last completed block exist exactly for a nonzero count and are its inclusive suffix, ending at blockHeight",
  );

export const roundCountRule = "rule 3: roundCount is the span of the inclusive bounds";

/** How many numbers there are from one to the other, both included. */
export function spanOf(first: string, last: string): bigint {
  return BigInt(last) - BigInt(first) + 1n;
}

export const closureSchema = z
  .strictObject({ firstRound: uint64String, lastRound: uint64String, roundCount: uint64String, acceptedAt: timestamp })
  .refine(
    ({ firstRound, lastRound, roundCount }) =>
      BigInt(roundCount) > 0n && spanOf(firstRound, lastRound) === BigInt(roundCount),
    roundCountRule,
  );

export const bufferedSchema = z
  .strictObject({
    firstRound: uint64String.nullable(),
    lastRound: uint64String.nullable(),
    roundCount: uint64String,
    activeRoundCount: uint64String,
    workUnits: uint256String,
  })
  .refine(
    ({ firstRound: first, lastRound: last, roundCount }) =>
      roundCount === "0"
        ? first === null && last === null
        : first !== null && last !== null && spanOf(first, last) === BigInt(roundCount),
    roundCountRule,
  )
  .refine(
    ({ activeRoundCount, roundCount }) => BigInt(activeRoundCount) <= BigInt(roundCount),
    "activeRoundCount is at most roundCount",
  );
