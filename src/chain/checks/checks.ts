/**
 * The binding checks, each by the name under which the operator's log and `status` show it (docs/spec/chain.md#checks). The
 * names are never in a public body. Those that read logs too are in settlement-chain.ts and sync/log-checks.ts.
 */
import type { CheckName, FailedCheck } from "../check-name.ts";
import type { Deployment } from "../deployment.ts";
import type { Reading } from "../view/reading.ts";
import type { CoreStateRead, EconomyStateRead, Returned } from "../view/state-read.ts";

const ROUND_SECONDS = 600n;
const TOKEN_DECIMALS = 18;

/** Contracts of the Core's part without code; without them no view call means anything. */
export function missingCoreCode({ hasCode }: Reading): FailedCheck | undefined {
  const names = {
    factory: "code_factory",
    core: "code_core",
    proxyAdmin: "code_proxy_admin",
    operatorTimelock: "code_operator_timelock",
  } as const;
  return missingCode(names, hasCode);
}

export function missingEconomyCode({ hasCode }: Reading): FailedCheck | undefined {
  const names = {
    mining: "code_mining",
    token: "code_token",
    tokenFactory: "code_token_factory",
    collection: "code_collection",
  } as const;
  return missingCode(names, hasCode);
}

/**
 * The first check of the Core's state at the safe block that fails, each judged by what it needs alone
 * (docs/spec/chain.md#check-independence); `genesisTimestamp` is the configured one, if any.
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
    differs("round_duration", core.roundDuration, ROUND_SECONDS) ??
    differs("genesis_timestamp_multiple", genesis && genesis % ROUND_SECONDS, 0n) ??
    (genesisTimestamp === undefined ? undefined : differs("genesis_timestamp_configured", genesis, genesisTimestamp)) ??
    differs("proxy_admin_owner", core.proxyAdminOwner, deployment.operatorTimelock) ??
    differs("proposer_role", core.proposerHasRole, true) ??
    (workPerBlock === 0n ? { check: "block_height", detail: "workPerBlock is 0" } : undefined) ??
    (hasWork ? differs("block_height", core.blockHeight, cumulativeWork / workPerBlock) : undefined) ??
    (hasWork ? differs("current_work", core.currentWork, cumulativeWork % workPerBlock) : undefined)
  );
}

/** The first check of the economy's state that fails, for settlements v4 and activity only. */
export function failedEconomyCheck(
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

/** Undefined if they agree, and if the node returned nothing. */
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
