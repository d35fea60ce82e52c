/** The finding of one pass about the economy contracts. Only settlements v4 and activity need them (docs/spec/chain.md#checks). */
import type { ChainEvent } from "../chain-state.ts";
import type { FailedCheck } from "../check-name.ts";
import type { Deployment } from "../deployment.ts";
import { ContradictingResponse } from "../rpc/node-responses.ts";
import { integerArgument } from "../store/read-events.ts";
import { type Reading, requireEconomyCode } from "../view/reading.ts";
import {
  type CoreStateRead,
  type EconomyStateRead,
  type Returned,
  returnedEconomy,
  wholeEconomy,
} from "../view/state-read.ts";
import { failedEconomyCheck, missingEconomyCode } from "./checks.ts";

export type EconomyFinding =
  /** The deployment has none, or its first block is not safe yet. */
  | { readonly kind: "none" }
  | { readonly kind: "read"; readonly state: EconomyStateRead }
  | { readonly kind: "mismatch"; readonly failure: FailedCheck; readonly repairFrom?: bigint }
  /** A function failed or returned an impossible value, and no check fails. */
  | { readonly kind: "invalid"; readonly detail: string };

/** `highestFunded`: the RoundFunded of the highest round at or below the safe block, if the logs have been read. */
export function economyFinding(
  deployment: Deployment,
  reading: Reading,
  core: Returned<CoreStateRead>,
  highestFunded: ChainEvent | undefined,
): EconomyFinding {
  const { economy } = deployment;
  if (economy === undefined || reading.block.number < BigInt(economy.deploymentBlock)) return { kind: "none" };
  const state = returnedEconomy(reading.views);
  const failure = missingEconomyCode(reading) ?? failedEconomyCheck(deployment, core, state);
  if (failure !== undefined) return { kind: "mismatch", failure };
  const { mintedThroughRound } = state;
  if (highestFunded !== undefined && mintedThroughRound !== undefined) {
    const funded = integerArgument(highestFunded, "round");
    if (funded > mintedThroughRound) {
      const detail = `round ${funded} is funded above ${mintedThroughRound}`;
      const repairFrom = highestFunded.blockNumber;
      return { kind: "mismatch", failure: { check: "round_funded_cursor", detail }, repairFrom };
    }
  }
  try {
    requireEconomyCode(reading);
    return { kind: "read", state: wholeEconomy(state, reading.views) };
  } catch (error) {
    if (error instanceof ContradictingResponse) return { kind: "invalid", detail: error.message };
    throw error;
  }
}
