/** Events of a poll and names of checks, for the operator. They contain no keys and are never published. */
import { decimalText } from "../values/decimal.ts";

/** Reported after each stored range. */
export interface RangeProgress {
  /** The first block of the pass's logs, the last stored block, and the safe block at which the pass ends. */
  readonly from: bigint;
  readonly through: bigint;
  readonly safe: bigint;
  /** Number of events stored with this range. */
  readonly events: number;
}

/** A problem of a pass, with the node (without keys) and, for a check, its stable name. */
export type ProblemEvent =
  | { readonly type: "failed"; readonly node: string; readonly message: string }
  /** `node` disagrees with another node; which of them is right is unknown. */
  | { readonly type: "disagreement"; readonly node: string; readonly detail: string }
  /** The head of `node` has not moved, though it should have (docs/spec/chain.md#stalled). */
  | { readonly type: "stalled"; readonly node: string; readonly detail: string }
  /** An unconfirmed fault becomes a mismatch if a second pass confirms it. */
  | {
      readonly type: "unconfirmed_fault" | "mismatch";
      readonly node: string;
      readonly check: CheckName;
      readonly detail: string;
    };

/** The codes of problems that another node's good pass does not resolve, and what to do. */
export const NODE_PROBLEMS = {
  disagreement: {
    code: "nodes_disagree",
    hint: "Find out which of the two is wrong: docs/nodes.md#quorum",
  },
  stalled: {
    code: "head_stands_still",
    hint: "Find out if the node or the chain has stalled: docs/nodes.md#stalled",
  },
} as const;

/** A problem of a node in the list above. */
export type NodeProblem = Extract<ProblemEvent, { readonly type: keyof typeof NODE_PROBLEMS }>;

export function isNodeProblem(event: { readonly type?: unknown }): event is NodeProblem {
  return Object.hasOwn(NODE_PROBLEMS, String(event.type));
}

export type PollEvent =
  | ProblemEvent
  | ({ readonly type: "range"; readonly node: string } & RangeProgress)
  | { readonly type: "good"; readonly node: string; readonly head: bigint };

/** Converts an event for JSON, with blocks as decimal strings. */
export function plainEvent(event: PollEvent): Record<string, unknown> {
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [name, decimalText(name, value)]));
}

/** Names of the binding checks, as shown to the operator (docs/spec/chain.md#checks). */
export type CheckName =
  | "chain_id"
  | "code_factory"
  | "code_core"
  | "code_proxy_admin"
  | "code_operator_timelock"
  | "core_deployed"
  | "proxy_admin_slot"
  | "stream_id"
  | "round_duration"
  | "genesis_timestamp_multiple"
  | "genesis_timestamp_configured"
  | "proxy_admin_owner"
  | "proposer_role"
  | "block_height"
  | "current_work"
  | "settlement_continuity"
  | "settlement_state"
  | "snapshot_regression"
  | "code_mining"
  | "code_token"
  | "code_token_factory"
  | "code_collection"
  | "mining_core"
  | "mining_token"
  | "mining_collection"
  | "token_decimals"
  | "minted_through_round"
  | "round_funded_cursor";

/** A failed check and its observed value. */
export interface FailedCheck {
  readonly check: CheckName;
  readonly detail: string;
}
