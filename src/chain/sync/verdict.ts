/** The state of the views that follows from what the passes found, and when time alone changes it (docs/spec/chain.md#reasons). */

import type { ChainBinding, ChainState, ChainUnavailable, View } from "../chain-state.ts";
import type { Deployment } from "../deployment.ts";
import type { FailedCheck } from "../poll-event.ts";
import type { Snapshot } from "../view/views.ts";

/** The result of all passes so far. */
export interface Verdict {
  readonly snapshot: Snapshot | undefined;
  /** The highest safe block that a node has shown. */
  readonly safe: bigint | undefined;
  /** Epoch ms of the last good pass. */
  readonly lastGoodPassAt: number | undefined;
  /** True if a pass has ever come to its end. */
  readonly synced: boolean;
  /** True if the last attempt ended in an error, and no range has been stored since. */
  readonly failed: boolean;
  /** With the node's safe block, if the node is of another chain. */
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
  /** Epoch ms since which the nodes are being asked without a break; undefined if none is being asked. */
  readonly askingSince: number | undefined;
}

export function chainState(verdict: Verdict, deployment: Deployment, times: Times): ChainState {
  const { snapshot, lastGoodPassAt } = verdict;
  const silent = times.now >= silentAt(verdict, times);
  const core = coreReason(verdict, deployment, silent);
  const economy = economyReason(verdict, deployment, silent, core);
  const kept = verdict.coreMismatch === undefined ? snapshot : undefined;
  return {
    core: view(core, snapshot?.core),
    economy: view(economy, snapshot?.economy),
    safeCore: kept?.safeCore,
    safeCoreBlock: kept && { number: kept.core.chain.safeThroughBlock, hash: kept.core.chain.safeBlockHash },
    genesisTimestamp: snapshot?.core.configuration.genesisTimestamp,
    binding: bindingOf(deployment),
    validUntil: (lastGoodPassAt ?? times.now) + times.validity,
    isSettling: core === "not_yet_safe" || (core === "indexer_unavailable" && times.now < askedLongEnoughAt(times)),
  };
}

/** Epoch ms after `now` at which the state changes by time alone. */
export function nextChangeOf(verdict: Verdict, times: Times): number | undefined {
  const changes = [silentAt(verdict, times), askedLongEnoughAt(times)];
  const next = Math.min(...changes.filter((at) => at > times.now));
  return Number.isFinite(next) ? next : undefined;
}

/** When the views are unavailable because no pass was good; the grace of a publisher that has just begun counts from there. */
function silentAt({ lastGoodPassAt }: Verdict, { grace, validity, askingSince }: Times): number {
  if (lastGoodPassAt === undefined) return -Infinity;
  return Math.min(Math.max(lastGoodPassAt, askingSince ?? -Infinity) + grace, lastGoodPassAt + validity);
}

/** From when on the nodes have been asked for long enough. */
function askedLongEnoughAt({ grace, askingSince }: Times): number {
  return askingSince === undefined ? Infinity : askingSince + grace;
}

/** The verdict without a deployment file or an RPC address. */
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
    isSettling: false,
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

function coreReason(verdict: Verdict, deployment: Deployment, silent: boolean): ChainUnavailable | undefined {
  const { coreMismatch, snapshot } = verdict;
  if (notYetSafe(verdict, deployment.deploymentBlock)) return "not_yet_safe";
  if (coreMismatch !== undefined) return "indexer_mismatch";
  return silent || snapshot === undefined ? "indexer_unavailable" : undefined;
}

function economyReason(
  verdict: Verdict,
  { deploymentBlock, economy }: Deployment,
  silent: boolean,
  core: ChainUnavailable | undefined,
): ChainUnavailable | undefined {
  if (economy === undefined) return "indexer_disabled";
  if (notYetSafe(verdict, Math.max(deploymentBlock, economy.deploymentBlock))) return "not_yet_safe";
  if (verdict.economyMismatch !== undefined) return "indexer_mismatch";
  return core ?? (silent || verdict.snapshot?.economy === undefined ? "indexer_unavailable" : undefined);
}

/** No safe block yet at or above the blocks that a view needs, or the first sync under way. */
function notYetSafe({ safe: own, synced, failed, coreMismatch }: Verdict, neededBlock: number): boolean {
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
