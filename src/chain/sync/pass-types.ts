/** The inputs and outcomes of a pass. */
import type { Database } from "better-sqlite3";
import type { Deployment } from "../deployment.ts";
import type { FailedCheck, RangeProgress } from "../poll-event.ts";
import type { Block } from "../rpc/node-responses.ts";
import type { RangeSize } from "../rpc/nodes.ts";
import type { RpcNode } from "../rpc/rpc-node.ts";
import type { EconomyFinding } from "../view/checks.ts";
import type { Snapshot } from "../view/views.ts";
import type { SuspectMemory } from "./blooms.ts";
import type { UnconfirmedFault } from "./log-checks.ts";
import type { LogSources } from "./logs.ts";
import type { Quorum } from "./quorum.ts";

export interface PassContext {
  readonly chain: PassChain;
  readonly node: PassNode;
  readonly quorum: Quorum;
  readonly earlier: EarlierFindings;
  readonly listener: PassListener;
}

/** The inputs that stay the same while the chain is open. */
export interface PassChain {
  readonly db: Database;
  readonly deployment: Deployment;
  readonly sources: LogSources;
  /** The configured start of round 0 (seconds), if any. */
  readonly genesisTimestamp: bigint | undefined;
  /** Epoch ms. */
  readonly now: () => number;
}

/** The one node that this pass asks. */
export interface PassNode {
  readonly rpc: RpcNode;
  /** Its place in the list. */
  readonly index: number;
  readonly size: RangeSize;
  /** True if its chain has Multicall3; undefined before the first pass. */
  readonly multicall: boolean | undefined;
  /** No other node responds, so that a second pass of this one confirms its first. */
  readonly respondsAlone: boolean;
}

/** Open findings of earlier passes. */
export interface EarlierFindings {
  /** True if the last pass was good: then a safe block that is the same needs no reading. */
  readonly isGood: boolean;
  /** A fault that the previous pass found and no second one has confirmed. */
  readonly fault: UnconfirmedFault | undefined;
  /** The block from which the logs are read again. */
  readonly repairFrom: bigint | undefined;
  /** Two passes have agreed on a funding above the cursor; it counts until a pass does without. */
  readonly isFundingConfirmed: boolean;
  /** Blocks whose blooms hold logs that the responses left out. */
  readonly suspects: SuspectMemory;
}

export interface Head {
  readonly head: bigint;
  /** head − SAFE_DEPTH; below zero on a chain younger than that. */
  readonly safe: bigint;
  /** The block of the checkpoint as the node has it; undefined without one, or if the node is behind it. */
  readonly checkpoint: Block | undefined;
  readonly multicall: boolean;
}

export interface PassListener {
  onHead(head: Head): void;
  onRange(progress: RangeProgress): void;
}

export type PassOutcome =
  | { readonly kind: "not_yet_safe" }
  /** Too few nodes agree. */
  | { readonly kind: "no_quorum"; readonly message: string }
  /** The node is behind the stored safe block. */
  | { readonly kind: "lagging"; readonly head: bigint }
  | { readonly kind: "unchanged" }
  | { readonly kind: "fault"; readonly fault: UnconfirmedFault }
  /** A binding check of the Core fails. */
  | { readonly kind: "mismatch"; readonly failure: FailedCheck }
  /** The node's chain is another one; its safe block, if it says how far it is. */
  | { readonly kind: "other_chain"; readonly failure: FailedCheck; readonly safe: bigint | undefined }
  /** A bloom holds logs that the response leaves out, and no second pass has agreed. */
  | { readonly kind: "logs_left_out"; readonly message: string }
  /** A call failed without which there is no view of the Core, and no check of the Core fails. */
  | { readonly kind: "incomplete"; readonly message: string; readonly economyMismatch: FailedCheck | undefined }
  | { readonly kind: "read"; readonly snapshot: Snapshot; readonly economy: EconomyFinding };

/** A pass that did not come to its end. */
export interface BrokenPass {
  readonly kind: "broken";
  /** An event for the operator; undefined if only time ran out. */
  readonly message: string | undefined;
  /** The deadline came first: it has not failed, as far as that is known. */
  readonly isOutOfTime: boolean;
}
