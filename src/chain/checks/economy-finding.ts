/** What one pass finds of the economy, on which settlements v4 and activity stand and nothing else (design 3, Reading 7). */

import type { Deployment } from "../deployment.ts";
import { ContradictingAnswer } from "../sync/node-answers.ts";
import type { ChainEvent } from "../view/chain-state.ts";
import type { Reading } from "../view/reading.ts";
import { type CoreStateRead, type EconomyStateRead, economyState } from "../view/state-read.ts";
import { type FailedCheck, failedEconomyCheck, missingEconomyCode } from "./checks.ts";
import { integer } from "./settlement-chain.ts";

export type EconomyFinding =
  /** The deployment has none, or its first block is not safe yet. */
  | { readonly kind: "none" }
  | { readonly kind: "read"; readonly state: EconomyStateRead }
  | { readonly kind: "mismatch"; readonly failure: FailedCheck; readonly repairFrom?: bigint }
  /** A function failed or answered what it cannot. */
  | { readonly kind: "invalid"; readonly detail: string };

/** `highestFunded`: the RoundFunded of the highest round at or below the safe block. */
export function economyFinding(
  deployment: Deployment,
  reading: Reading,
  core: CoreStateRead,
  highestFunded: ChainEvent | undefined,
): EconomyFinding {
  const { economy } = deployment;
  if (economy === undefined || reading.block.number < BigInt(economy.deploymentBlock)) return { kind: "none" };
  const missing = missingEconomyCode(reading);
  if (missing !== undefined) return { kind: "mismatch", failure: missing };
  let state: EconomyStateRead;
  try {
    state = economyState(reading);
  } catch (error) {
    if (error instanceof ContradictingAnswer) return { kind: "invalid", detail: error.message };
    throw error;
  }
  const failure = failedEconomyCheck(deployment, core, state);
  if (failure !== undefined) return { kind: "mismatch", failure };
  if (highestFunded !== undefined && integer(highestFunded, "round") > state.mintedThroughRound) {
    const detail = `round ${integer(highestFunded, "round")} is funded above ${state.mintedThroughRound}`;
    const repairFrom = highestFunded.blockNumber;
    return { kind: "mismatch", failure: { check: "round_funded_cursor", detail }, repairFrom };
  }
  return { kind: "read", state };
}
