/** Derives the views' state from the passes, and when it changes without new input (docs/spec/chain.md#reasons). */

import type { ChainBinding, ChainState, ChainUnavailable, View } from "../chain-state.ts";
import type { Deployment } from "../deployment.ts";
import type { FailedCheck } from "../poll-event.ts";
import type { Snapshot } from "../view/views.ts";

/** The result of all passes so far. */
export interface PassResults {
  readonly snapshot: Snapshot | undefined;
  /** The highest safe block that a node reported. */
  readonly safe: bigint | undefined;
  /** Epoch ms of the last good pass. */
  readonly lastGoodPassAt: number | undefined;
  /** True if a pass has ever finished. */
  readonly synced: boolean;
  /** True if the last attempt failed and no range has been stored since. */
  readonly failed: boolean;
  /** `otherSafe` is the node's safe block if it is on another chain. */
  readonly coreMismatch: { readonly failure: FailedCheck; readonly otherSafe: bigint | undefined } | undefined;
  readonly economyMismatch: FailedCheck | undefined;
}

export interface Times {
  /** Epoch ms. */
  readonly now: number;
  /** Milliseconds without a good pass before the views are unavailable. */
  readonly grace: number;
  /** Milliseconds for which the views are valid after the last good pass. */
  readonly validity: number;
  /** Epoch ms since which the nodes have been asked continuously; undefined if none is being asked. */
  readonly askingSince: number | undefined;
}

export function chainState(results: PassResults, deployment: Deployment, times: Times): ChainState {
  const { snapshot, lastGoodPassAt } = results;
  const silent = times.now >= silentAt(results, times);
  const core = coreReason(results, deployment, silent);
  const economy = economyReason(results, deployment, silent, core);
  const kept = results.coreMismatch === undefined ? snapshot : undefined;
  return {
    core: view(core, snapshot?.core),
    economy: view(economy, snapshot?.economy),
    safeCore: kept?.safeCore,
    safeCoreBlock: kept && { number: kept.core.chain.safeThroughBlock, hash: kept.core.chain.safeBlockHash },
    genesisTimestamp: snapshot?.core.configuration.genesisTimestamp,
    binding: bindingOf(deployment),
    validUntil: (lastGoodPassAt ?? times.now) + times.validity,
    isUndecided: core === "not_yet_safe" || (core === "indexer_unavailable" && times.now < askedLongEnoughAt(times)),
  };
}

/** Returns the epoch ms after `now` at which the state changes without new input; undefined if it does not. */
export function nextChangeOf(results: PassResults, times: Times): number | undefined {
  const changes = [silentAt(results, times), askedLongEnoughAt(times)];
  const next = Math.min(...changes.filter((at) => at > times.now));
  return Number.isFinite(next) ? next : undefined;
}

/** Returns when the views become unavailable without a good pass. A publisher that just started has the full grace. */
function silentAt({ lastGoodPassAt }: PassResults, { grace, validity, askingSince }: Times): number {
  if (lastGoodPassAt === undefined) return -Infinity;
  return Math.min(Math.max(lastGoodPassAt, askingSince ?? -Infinity) + grace, lastGoodPassAt + validity);
}

/** Returns when the nodes will have been asked for the whole grace. */
function askedLongEnoughAt({ grace, askingSince }: Times): number {
  return askingSince === undefined ? Infinity : askingSince + grace;
}

/** Returns the state without a deployment file or an RPC address. */
export function disabledChain(): ChainState {
  const disabled = { status: "unavailable", reason: "indexer_disabled" } as const;
  return {
    core: disabled,
    economy: disabled,
    safeCore: undefined,
    safeCoreBlock: undefined,
    genesisTimestamp: undefined,
    binding: undefined,
    validUntil: Number.MAX_SAFE_INTEGER,
    isUndecided: false,
  };
}

function bindingOf({ target, chainId, core, deploymentBlock, economy }: Deployment): ChainBinding {
  return {
    target,
    chainId: BigInt(chainId),
    core,
    deploymentBlock: BigInt(deploymentBlock),
    releaseId: economy?.releaseId,
  };
}

function coreReason(results: PassResults, deployment: Deployment, silent: boolean): ChainUnavailable | undefined {
  const { coreMismatch, snapshot } = results;
  if (notYetSafe(results, deployment.deploymentBlock)) return "not_yet_safe";
  if (coreMismatch !== undefined) return "indexer_mismatch";
  return silent || snapshot === undefined ? "indexer_unavailable" : undefined;
}

function economyReason(
  results: PassResults,
  { deploymentBlock, economy }: Deployment,
  silent: boolean,
  core: ChainUnavailable | undefined,
): ChainUnavailable | undefined {
  if (economy === undefined) return "indexer_disabled";
  if (notYetSafe(results, Math.max(deploymentBlock, economy.deploymentBlock))) return "not_yet_safe";
  if (results.economyMismatch !== undefined) return "indexer_mismatch";
  return core ?? (silent || results.snapshot?.economy === undefined ? "indexer_unavailable" : undefined);
}

/** Returns true if no safe block has reached the needed block, or if the first sync is running. */
function notYetSafe({ safe: own, synced, failed, coreMismatch }: PassResults, neededBlock: number): boolean {
  const safe = coreMismatch?.otherSafe ?? own;
  if (safe !== undefined && safe < BigInt(neededBlock)) return true;
  return !synced && !failed && coreMismatch === undefined;
}

function view<T>(reason: ChainUnavailable | undefined, found: T | undefined): View<{ readonly view: T }> {
  if (reason !== undefined || found === undefined) {
    return { status: "unavailable", reason: reason ?? "indexer_unavailable" };
  }
  return { status: "available", view: found };
}
