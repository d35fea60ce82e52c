/** Events of a poll and names of checks, for the operator. They contain no keys and are never published. */
import { decimalText } from "../values/decimal.ts";
import { Failure } from "../values/failure.ts";

/** Reported after each stored range. */
export interface RangeProgress {
  /** The first block of the pass's events, the last stored block, and the safe block at which the pass ends. */
  readonly from: bigint;
  readonly through: bigint;
  readonly safe: bigint;
  /** Number of events stored with this range. */
  readonly events: number;
}

/** A problem of a pass, with the node (without keys) and, for a check, its stable name. */
export type ProblemEvent =
  | { readonly kind: "failed"; readonly node: string; readonly message: string }
  /** `node` disagrees with another node; which of them is right is unknown. */
  | { readonly kind: "disagreement"; readonly node: string; readonly detail: string }
  /** The tip of `node` has not moved, though it should have (docs/spec/chain.md#stalled). */
  | { readonly kind: "stalled"; readonly node: string; readonly detail: string }
  /** An unconfirmed fault becomes a mismatch if a second pass confirms it. */
  | {
      readonly kind: "unconfirmed_fault" | "mismatch";
      readonly node: string;
      readonly check: CheckName;
      readonly detail: string;
    };

const PROBLEMS: Readonly<Record<ProblemEvent["kind"], (message: string) => Failure>> = {
  failed: (message) => new Failure("indexer_unavailable", message),
  disagreement: (message) => new Failure("nodes_disagree", message),
  stalled: (message) => new Failure("head_stands_still", message),
  unconfirmed_fault: (message) => new Failure("indexer_mismatch", message),
  mismatch: (message) => new Failure("indexer_mismatch", message),
};

export function isProblem(event: { readonly kind?: unknown }): event is ProblemEvent {
  return Object.hasOwn(PROBLEMS, String(event.kind));
}

/** A problem of a node that another node's good pass does not resolve. */
export type NodeProblem = Extract<ProblemEvent, { readonly kind: "disagreement" | "stalled" }>;

export function isNodeProblem(event: PollEvent): event is NodeProblem {
  return event.kind === "disagreement" || event.kind === "stalled";
}

/** Returns the problem as a failure of a command. */
export function problemFailure(event: ProblemEvent): Failure {
  const found = event.kind === "failed" ? event.message : event.detail;
  const message = "check" in event ? `${event.check}: ${found} (${event.node})` : `${event.node}: ${found}`;
  return PROBLEMS[event.kind](message);
}

export type PollEvent =
  | ProblemEvent
  | ({ readonly kind: "range"; readonly node: string } & RangeProgress)
  | { readonly kind: "good"; readonly node: string; readonly tip: bigint };

/** Converts an event for JSON, with blocks as decimal strings. */
export function plainEvent(event: PollEvent): Record<string, unknown> {
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [name, decimalText(name, value)]));
}

/** Names of the checks of the chain, as shown to the operator (docs/spec/chain.md#checks). */
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
