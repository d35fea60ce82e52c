/** The binding checks by the names under which the operator sees them (docs/spec/chain.md#checks); never in a public body. */

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

/** A check that fails, with what it saw. */
export interface FailedCheck {
  readonly check: CheckName;
  readonly detail: string;
}
