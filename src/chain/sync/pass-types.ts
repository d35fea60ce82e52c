/** Types for the inputs and outcomes of a pass. */
import type { Database } from "better-sqlite3";
import type { Deployment } from "../deployment.ts";
import type { FailedCheck, RangeProgress } from "../poll-event.ts";
import type { RangeSize } from "../rpc/nodes.ts";
import type { RpcNode } from "../rpc/rpc-node.ts";
import type { EconomyFinding } from "../view/checks.ts";
import type { Snapshot } from "../view/views.ts";
import type { SuspectMemory } from "./blooms.ts";
import type { UnconfirmedFault } from "./event-checks.ts";
import type { WatchedContracts } from "./events.ts";
import type { Quorum } from "./quorum.ts";
import type { StalledOutcome, TipWatch } from "./stalled-tip.ts";
import type { Tip } from "./tip.ts";

export interface PassContext {
  readonly chain: PassChain;
  readonly node: PassNode;
  readonly quorum: Quorum;
  readonly tips: Pick<TipWatch, "check">;
  readonly earlier: EarlierFindings;
  readonly listener: PassListener;
}

/** Inputs that stay the same while the chain is open. */
export interface PassChain {
  readonly db: Database;
  readonly deployment: Deployment;
  readonly watched: WatchedContracts;
  /** The configured start of round 0 (seconds), if any. */
  readonly genesisTimestamp: bigint | undefined;
  /** Epoch ms. */
  readonly now: () => number;
  /** The highest safe block that may be read; undefined without a limit. */
  readonly through: (() => bigint) | undefined;
}

/** The node that this pass asks. */
interface PassNode {
  readonly rpc: RpcNode;
  /** Index of the node in the list. */
  readonly index: number;
  readonly size: RangeSize;
  /** True if its chain has Multicall3; undefined before the first pass. */
  readonly multicall: boolean | undefined;
  /** True if no other node responds, so that a second pass over this node confirms its first. */
  readonly isOnlyResponding: boolean;
}

/** Unresolved findings of earlier passes. */
export interface EarlierFindings {
  /** True if the last pass was good, so that an unchanged safe block need not be read. */
  readonly isGood: boolean;
  /** A fault that the previous pass found and no second pass has confirmed. */
  readonly fault: UnconfirmedFault | undefined;
  /** The block from which the events are read again. */
  readonly repairFrom: bigint | undefined;
  /** True after two passes agreed on a funding above the cursor, until a pass finds none. */
  readonly isFundingConfirmed: boolean;
  /** Blocks whose blooms indicate events that the responses lacked. */
  readonly suspects: SuspectMemory;
}

export interface PassListener {
  onTip(tip: Tip): void;
  onRange(progress: RangeProgress): void;
}

export type PassOutcome =
  | { readonly kind: "not_yet_safe" }
  /** Too few nodes agree on a range or state. */
  | { readonly kind: "no_quorum"; readonly message: string }
  /** The node is behind the stored safe block. */
  | { readonly kind: "lagging"; readonly block: bigint }
  | StalledOutcome
  | { readonly kind: "unchanged" }
  | { readonly kind: "fault"; readonly fault: UnconfirmedFault }
  /** A check of the Core fails. */
  | { readonly kind: "mismatch"; readonly failure: FailedCheck }
  /** The node is on another chain; `safe` is its safe block, if known. */
  | { readonly kind: "other_chain"; readonly failure: FailedCheck; readonly safe: bigint | undefined }
  /** A bloom indicates events that the response lacks, and no second pass has confirmed it. */
  | { readonly kind: "events_left_out"; readonly message: string }
  /** A call failed that the Core's view needs, but no check of the Core failed. */
  | { readonly kind: "incomplete"; readonly message: string; readonly economyMismatch: FailedCheck | undefined }
  | { readonly kind: "read"; readonly snapshot: Snapshot; readonly economy: EconomyFinding };

/** A pass that did not finish. */
export interface BrokenPass {
  readonly kind: "broken";
  /** The message for the operator; undefined if only time ran out. */
  readonly message: string | undefined;
  /** True if the deadline passed first, so that the node may still be good. */
  readonly isOutOfTime: boolean;
}
