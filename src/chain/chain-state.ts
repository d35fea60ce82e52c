/**
 * Types for the chain's state: everything read at one safe block, or the reason why nothing is available
 * (docs/spec/chain.md#reading). Quantities are bigint, instants epoch milliseconds, addresses checksummed, hashes and
 * bytes lower case.
 */

/** Reasons in order of precedence (docs/spec/chain.md#reasons). Only the activity also has source_disabled. */
export type ChainUnavailable = "indexer_disabled" | "not_yet_safe" | "indexer_mismatch" | "indexer_unavailable";

export type View<T> =
  | ({ readonly status: "available" } & T)
  | { readonly status: "unavailable"; readonly reason: ChainUnavailable };

/** The chain as the publisher sees it in one cycle. */
export interface ChainState {
  /** The state for onchain, settlements v3, process and statistics. */
  readonly core: View<{ readonly view: CoreView }>;
  /** The additional state for settlements v4 and activity; unavailable whenever `core` is. */
  readonly economy: View<{ readonly view: EconomyView }>;
  /**
   * The Core state that process keeps while no node responds: the last stored one. Undefined before the first, and
   * after the chain contradicts it.
   */
  readonly safeCore: SafeCoreState | undefined;
  /** The block of `safeCore`. */
  readonly safeCoreBlock: { readonly number: bigint; readonly hash: string } | undefined;
  /** The Core's genesis in seconds; while no node responds, from the last stored snapshot. */
  readonly genesisTimestamp: bigint | undefined;
  /** The contracts of the views, even while no node responds; undefined without a deployment file or an RPC address. */
  readonly binding: ChainBinding | undefined;
  /** Epoch ms until which the available views are valid: the last good pass plus the validity (`chainMaxAge`). */
  readonly validUntil: number;
  /**
   * True while the Core's view is not_yet_safe. Also true while the view is indexer_unavailable, if the only reason is
   * that the publisher has asked the nodes for less than the grace. This follows a start, a takeover, a sleep or a lost
   * file. Missing views then say nothing about the chain: a good published response stays while it is valid. The
   * publisher puts not_yet_safe or indexer_unavailable only if nothing is stored.
   *
   * False for a mismatch, and without a chain. Without new input, it becomes false at the chain's `nextChange`.
   */
  readonly isUndecided: boolean;
}

/** The contracts named by the deployment file. Saved history is valid only for the same binding. */
export interface ChainBinding {
  readonly target: string;
  readonly chainId: bigint;
  readonly core: string;
  readonly deploymentBlock: bigint;
  /** Undefined without an economy. */
  readonly releaseId: string | undefined;
}

/** The settled frontier, read at the safe block (docs/spec/api.md#process). */
export interface SafeCoreState extends Omit<CoreView["core"], "authorizationNonce" | "paused"> {
  /** The newest BatchSettled at or below the safe block; null before the first. */
  readonly lastSettlement: { readonly confirmedAt: number; readonly transactionHash: string } | null;
}

export interface ChainPoint {
  readonly target: string;
  readonly chainId: bigint;
  readonly deploymentBlock: bigint;
  /** The tip of the last pass whose events up to tip − SAFE_DEPTH are stored. */
  readonly indexedThroughBlock: bigint;
  readonly safeThroughBlock: bigint;
  readonly safeBlockHash: string;
  readonly safeBlockTimestamp: number;
}

export interface CoreView {
  readonly chain: ChainPoint;
  readonly identities: {
    readonly factory: string;
    readonly core: string;
    readonly proxyAdmin: string;
    readonly proxyAdminOwner: string;
    readonly operatorTimelock: string;
    readonly operatorProposer: string;
    readonly proxyImplementation: string;
    /** The address in the ERC-1967 admin slot. */
    readonly proxyAdminSlot: string;
  };
  readonly configuration: {
    readonly streamId: string;
    readonly genesisTimestamp: bigint;
    readonly roundDuration: bigint;
    readonly maxWorkPerRound: bigint;
    readonly maxRoundsPerBatch: bigint;
    readonly workPerBlock: bigint;
    readonly guardian: string;
    readonly reporter: string;
  };
  readonly core: {
    readonly settledThroughRound: bigint;
    readonly cumulativeWork: bigint;
    readonly blockHeight: bigint;
    readonly currentWork: bigint;
    readonly workPerBlock: bigint;
    readonly authorizationNonce: bigint;
    readonly paused: boolean;
  };
  readonly implementation: {
    readonly codeAddress: string;
    readonly codeVersion: string;
    readonly storageLayoutDigest: string;
    readonly runtimeHash: string;
  };
  readonly governance: {
    readonly operationId: string;
    readonly operationKind: "None" | "Upgrade" | "Conflict";
    readonly operationState: "None" | "Pending" | "Executed" | "Cancelled" | "Conflict";
  };
  /** The newest event of contractKind core. */
  readonly source: ChainEvent;
  /** At most 25 of factory, core, proxy admin and timelock, newest first. */
  readonly events: readonly ChainEvent[];
}

export interface EconomyView {
  readonly releaseId: string;
  readonly protocolRevision: string;
  readonly rewardModelRevision: string;
  /** The economy contracts' first block, from the deployment file. */
  readonly deploymentBlock: bigint;
  readonly mining: string;
  readonly token: string;
  readonly tokenFactory: string;
  readonly collection: string;
  /** The token's `symbol()`. */
  readonly symbol: string;
  readonly miningImplementation: string;
  readonly miningImplementationVersion: string;
  readonly miningStorageLayoutDigest: string;
  /** The mint cursor. */
  readonly mintedThroughRound: bigint;
  readonly baselineRewardPerBlock: bigint;
  /** 0 if none is scheduled. */
  readonly rewardWeightActivationRound: bigint;
}

export type ContractKind = "factory" | "core" | "proxy_admin" | "timelock" | "mining" | "token" | "collection";

export interface EventPosition {
  readonly blockNumber: bigint;
  readonly blockHash: string;
  readonly blockTimestamp: number;
  readonly transactionHash: string;
  readonly transactionIndex: number;
  readonly logIndex: number;
}

export interface ChainEvent extends EventPosition {
  readonly contractKind: ContractKind;
  readonly contractAddress: string;
  readonly eventName: string;
  /** Arguments in ABI order, as texts (docs/spec/chain.md#derived). */
  readonly arguments: readonly { readonly name: string; readonly value: string }[];
}
