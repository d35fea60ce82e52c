/**
 * The checks of what the contracts return (docs/spec/chain.md#checks). The operator's messages and `status` show their
 * names, which are never published. event-checks.ts has the checks that read events.
 */
import { UINT256_MAX } from "../../values/decimal.ts";
import { ROUND_SECONDS } from "../../values/round.ts";
import type { ChainEvent } from "../chain-state.ts";
import type { Deployment } from "../deployment.ts";
import type { CheckName, FailedCheck } from "../poll-event.ts";
import { ContradictingResponse } from "../rpc/node-responses.ts";
import { integerArgument } from "../store/read-events.ts";
import {
  type CoreStateRead,
  type EconomyStateRead,
  type Reading,
  type Returned,
  requireEconomyCode,
  returnedEconomy,
  wholeEconomy,
} from "./reading.ts";

const TOKEN_DECIMALS = 18;

/** Returns a failed check if a contract of the Core's part has no code, because view calls then mean nothing. */
export function missingCoreCode({ hasCode }: Reading): FailedCheck | undefined {
  const names = {
    factory: "code_factory",
    core: "code_core",
    proxyAdmin: "code_proxy_admin",
    operatorTimelock: "code_operator_timelock",
  } as const;
  return missingCode(names, hasCode);
}

function missingEconomyCode({ hasCode }: Reading): FailedCheck | undefined {
  const names = {
    mining: "code_mining",
    token: "code_token",
    tokenFactory: "code_token_factory",
    collection: "code_collection",
  } as const;
  return missingCode(names, hasCode);
}

/**
 * Returns the first failed check of the Core's state at the safe block. Each check uses only the values that it needs
 * (docs/spec/chain.md#check-independence). `genesisTimestamp` is the configured one, if any.
 */
export function failedCoreCheck(
  deployment: Deployment,
  reading: Reading,
  core: Returned<CoreStateRead>,
  genesisTimestamp: bigint | undefined,
): FailedCheck | undefined {
  const { workPerBlock, cumulativeWork, genesisTimestamp: genesis } = core;
  const hasWork = workPerBlock !== undefined && workPerBlock !== 0n && cumulativeWork !== undefined;
  return (
    differs("proxy_admin_slot", reading.proxyAdminSlot, deployment.proxyAdmin) ??
    differs("stream_id", core.streamId, deployment.streamId) ??
    differs("round_duration", core.roundDuration, BigInt(ROUND_SECONDS)) ??
    differs("genesis_timestamp_multiple", genesis && genesis % BigInt(ROUND_SECONDS), 0n) ??
    (genesisTimestamp === undefined ? undefined : differs("genesis_timestamp_configured", genesis, genesisTimestamp)) ??
    differs("proxy_admin_owner", core.proxyAdminOwner, deployment.operatorTimelock) ??
    differs("proposer_role", core.proposerHasRole, true) ??
    (workPerBlock === 0n ? { check: "block_height", detail: "workPerBlock is 0" } : undefined) ??
    (hasWork ? differs("block_height", core.blockHeight, cumulativeWork / workPerBlock) : undefined) ??
    (hasWork ? differs("current_work", core.currentWork, cumulativeWork % workPerBlock) : undefined)
  );
}

/** Returns the first failed check of the economy's state, which affects only settlements v4 and activity. */
function failedEconomyCheck(
  deployment: Deployment,
  core: Returned<CoreStateRead>,
  economy: Returned<EconomyStateRead>,
): FailedCheck | undefined {
  const { mintedThroughRound } = economy;
  const { settledThroughRound } = core;
  const isAhead =
    mintedThroughRound !== undefined && settledThroughRound !== undefined && mintedThroughRound > settledThroughRound;
  return (
    differs("mining_core", economy.core, deployment.core) ??
    differs("mining_token", economy.token, deployment.economy?.token) ??
    differs("mining_collection", economy.collection, deployment.economy?.collection) ??
    differs("token_decimals", economy.decimals, TOKEN_DECIMALS) ??
    (isAhead
      ? { check: "minted_through_round", detail: `${mintedThroughRound} is above ${settledThroughRound}` }
      : undefined)
  );
}

/** Returns undefined if the values are equal, or if the node returned none. */
function differs(check: CheckName, found: unknown, expected: unknown): FailedCheck | undefined {
  return found === undefined || found === expected ? undefined : { check, detail: `${found} is not ${expected}` };
}

function missingCode(
  names: Readonly<Record<string, CheckName>>,
  hasCode: ReadonlyMap<string, boolean>,
): FailedCheck | undefined {
  const missing = Object.keys(names).find((name) => hasCode.get(name) === false);
  const check = missing === undefined ? undefined : names[missing];
  return check && { check, detail: `there is no code at ${missing}` };
}

// The result of one pass for the economy contracts, which only settlements v4 and activity need.

export type EconomyFinding =
  /** The deployment has no economy, or its first block is not safe yet. */
  | { readonly kind: "none" }
  | { readonly kind: "read"; readonly state: EconomyStateRead }
  | { readonly kind: "mismatch"; readonly failure: FailedCheck; readonly repairFrom?: bigint }
  /** A function failed or returned an impossible value, but no check failed. */
  | { readonly kind: "invalid"; readonly detail: string };

/** `highestFunded` is the RoundFunded of the highest round up to the safe block; undefined if the events are not read. */
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
      const detail = `round ${funded} is funded, above the mint cursor ${mintedThroughRound}`;
      const repairFrom = highestFunded.blockNumber;
      return { kind: "mismatch", failure: { check: "round_funded_cursor", detail }, repairFrom };
    }
  }
  try {
    requireEconomyCode(reading);
    const whole = wholeEconomy(reading.views);
    if (whole.baselineRewardPerBlock * (core.blockHeight ?? 0n) > UINT256_MAX)
      throw new ContradictingResponse("the reward of all blocks is above 256 bits");
    return { kind: "read", state: whole };
  } catch (error) {
    if (error instanceof ContradictingResponse) return { kind: "invalid", detail: error.message };
    throw error;
  }
}
