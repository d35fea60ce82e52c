/**
 * The binding checks, each by the name under which the operator's log and `status` show it (docs/spec/chain.md#checks). The
 * names are never in a public body. Those that read logs too are in settlements.ts and pass.ts.
 */
import type { CheckName, FailedCheck } from "../check-name.ts";
import type { Deployment } from "../deployment.ts";
import type { Reading } from "../view/reading.ts";
import { type CoreStateRead, type EconomyStateRead } from "../view/state-read.ts";

const ROUND_SECONDS = 600n;
const TOKEN_DECIMALS = 18;

/** Contracts of the Core's part without code; without them no view call means anything. */
export function missingCoreCode({ withCode }: Reading): FailedCheck | undefined {
  const names = {
    factory: "code_factory",
    core: "code_core",
    proxyAdmin: "code_proxy_admin",
    operatorTimelock: "code_operator_timelock",
  } as const;
  return missingCode(names, withCode);
}

export function missingEconomyCode({ withCode }: Reading): FailedCheck | undefined {
  const names = {
    mining: "code_mining",
    token: "code_token",
    tokenFactory: "code_token_factory",
    collection: "code_collection",
  } as const;
  return missingCode(names, withCode);
}

/** The checks of the Core's state at the safe block; `genesisTimestamp` is the configured one, where there is one. */
export function failedCoreCheck(
  deployment: Deployment,
  reading: Reading,
  core: CoreStateRead,
  genesisTimestamp: bigint | undefined,
): FailedCheck | undefined {
  const { workPerBlock, cumulativeWork } = core;
  const divided =
    workPerBlock === 0n ? undefined : { height: cumulativeWork / workPerBlock, rest: cumulativeWork % workPerBlock };
  return (
    differs("proxy_admin_slot", reading.proxyAdminSlot, deployment.proxyAdmin) ??
    differs("stream_id", core.streamId, deployment.streamId) ??
    differs("round_duration", core.roundDuration, ROUND_SECONDS) ??
    differs("genesis_timestamp_multiple", core.genesisTimestamp % ROUND_SECONDS, 0n) ??
    (genesisTimestamp === undefined
      ? undefined
      : differs("genesis_timestamp_configured", core.genesisTimestamp, genesisTimestamp)) ??
    differs("proxy_admin_owner", core.proxyAdminOwner, deployment.operatorTimelock) ??
    differs("proposer_role", core.proposerHasRole, true) ??
    differs("block_height", core.blockHeight, divided?.height) ??
    differs("current_work", core.currentWork, divided?.rest)
  );
}

/** The checks of the economy's state at the safe block, for settlements v4 and activity only. */
export function failedEconomyCheck(
  deployment: Deployment,
  core: CoreStateRead,
  economy: EconomyStateRead,
): FailedCheck | undefined {
  const minted = economy.mintedThroughRound;
  return (
    differs("mining_core", economy.core, deployment.core) ??
    differs("mining_token", economy.token, deployment.economy?.token) ??
    differs("mining_collection", economy.collection, deployment.economy?.collection) ??
    differs("token_decimals", economy.decimals, TOKEN_DECIMALS) ??
    (minted > core.settledThroughRound
      ? { check: "minted_through_round", detail: `${minted} is above ${core.settledThroughRound}` }
      : undefined)
  );
}

function differs(check: CheckName, found: unknown, expected: unknown): FailedCheck | undefined {
  return found === expected ? undefined : { check, detail: `${found} is not ${expected}` };
}

function missingCode(
  names: Readonly<Record<string, CheckName>>,
  withCode: ReadonlySet<string>,
): FailedCheck | undefined {
  const missing = Object.keys(names).find((name) => !withCode.has(name));
  const check = missing === undefined ? undefined : names[missing];
  return check && { check, detail: `there is no code at ${missing}` };
}
