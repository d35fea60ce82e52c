/** What a pass is given and what it gives back. */
import type { Database } from "better-sqlite3";
import type { FailedCheck } from "../checks/checks.ts";
import type { EconomyFinding } from "../checks/economy-finding.ts";
import type { LogFactsReader } from "../checks/log-facts.ts";
import type { Doubt } from "../checks/unconfirmed-fault.ts";
import type { Deployment } from "../deployment.ts";
import type { RpcNode } from "../rpc/rpc-node.ts";
import type { Snapshot } from "../view/views.ts";
import type { Head } from "./head.ts";
import type { LogSources } from "./logs.ts";
import type { RangeProgress } from "./poll-event.ts";
import type { RangeSize } from "./range-size.ts";

export interface PassContext {
  readonly db: Database;
  readonly deployment: Deployment;
  readonly sources: LogSources;
  readonly facts: LogFactsReader;
  readonly node: RpcNode;
  /** The node's place in the list. */
  readonly nodeIndex: number;
  readonly size: RangeSize;
  /** Whether this node's chain has Multicall3; undefined where nobody has asked yet. */
  readonly multicall: boolean | undefined;
  /** The configured start of round 0 (seconds), where there is one. */
  readonly genesisTimestamp: bigint | undefined;
  /** Whether the last pass was good: then a safe block that has not moved needs no reading. */
  readonly settled: boolean;
  /** What the pass before doubted. */
  readonly doubt: Doubt | undefined;
  /** Where the logs are read again from. */
  readonly repairFrom: bigint | undefined;
  /** Two passes have agreed on a funding above the cursor; it stands until a pass does without. */
  readonly fundingBelieved: boolean;
  /** No other node answers, so that this one's second word counts. */
  readonly sameNodeWillDo: boolean;
  readonly now: () => number;
  onHead(head: Head): void;
  onRange(progress: RangeProgress): void;
}

export type PassOutcome =
  | { readonly kind: "not_yet_safe" }
  /** The node is behind the stored safe block. */
  | { readonly kind: "lagging"; readonly head: bigint }
  | { readonly kind: "unchanged" }
  | { readonly kind: "doubt"; readonly doubt: Doubt }
  /** A binding check of the Core fails. */
  | { readonly kind: "mismatch"; readonly failure: FailedCheck }
  | { readonly kind: "read"; readonly snapshot: Snapshot; readonly economy: EconomyFinding };
