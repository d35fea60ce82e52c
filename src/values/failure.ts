/** Failures of commands and modules. A program gives each code its exit code and says what to do. */
import { UnknownFormat } from "./format.ts";

/** The case of a failure, if its code alone does not say what to do. The program phrases the hint of each. */
export type HintFacts =
  /** `isShort`: the ledger lacks facts. */
  | { readonly is: "ledger_regression"; readonly isShort: boolean }
  /** The ledger lacks facts that its stream has. */
  | { readonly is: "stream_behind" }
  /** Nobody has agreed that the log becomes public. */
  | { readonly is: "log_consent" }
  /** `name`: the name of the key that has signed the log. */
  | { readonly is: "log_name"; readonly name: string }
  | { readonly is: "prefix_of_other"; readonly configured: string }
  /** The configured installation has no facts yet, and is published. */
  | { readonly is: "published_offline" }
  | { readonly is: "other_stream" }
  /** The ledger to restore into has facts that the published position does not know. */
  | { readonly is: "restored_beside" }
  /** `sequence`: the next message that the stream still has. */
  | { readonly is: "stream_gap"; readonly sequence: number }
  | { readonly is: "no_store" }
  | { readonly is: "store_location" }
  /** `code`: the S3 server's. */
  | { readonly is: "s3_error"; readonly code: string }
  | { readonly is: "s3_region" }
  | { readonly is: "s3_credentials" }
  | { readonly is: "s3_timeout"; readonly address: string }
  | { readonly is: "not_s3" }
  | { readonly is: "s3_no_date" }
  | NoResponseFacts;

/** Why an address gave no response. */
export type NoResponseFacts =
  | { readonly is: "host_unknown"; readonly host: string }
  | { readonly is: "no_name_server"; readonly host: string }
  | { readonly is: "not_listening" }
  | { readonly is: "connection_closed" }
  | { readonly is: "not_reachable"; readonly address: string }
  | { readonly is: "no_https" }
  /** `port`: decimal. */
  | { readonly is: "certificate"; readonly host: string; readonly port: string };

/**
 * A failure that an operator can act on: a stable code for programs, a sentence for people, and what the hint depends on.
 * It is thrown where the cause is known and printed once, by bin/, which also phrases the hint.
 */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: FailureCode;
  readonly facts: HintFacts | undefined;
  /** The next step in this case. It names no flag and no setting if it comes from src/ or publish/. */
  readonly ownHint: string | undefined;

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.facts = options.facts;
    this.ownHint = options.hint;
  }

  /** True if the code is about `subject`, such as "ledger" or "store". */
  isAbout(subject: "ledger" | "log" | "store" | "clock" | "lease"): boolean {
    return this.code.startsWith(`${subject}_`);
  }

  /** True if a file has this fault, such as "locked". */
  hasFault(fault: FileFault): boolean {
    return this.code.endsWith(`_${fault}`);
  }
}

export interface FailureOptions {
  readonly hint?: string | undefined;
  readonly facts?: HintFacts | undefined;
  readonly cause?: unknown;
}

/** Returns the error of a reader as an operator's failure, if an object has another format; other errors unchanged. */
export function formatFailure(error: unknown): unknown {
  return error instanceof UnknownFormat ? new Failure("format_unknown", error.message, { cause: error }) : error;
}

/** The code of an SQLite file's failure begins with the file's name, such as `chain_locked`. */
export type FileFault = "damaged" | "foreign" | "forbidden" | "locked" | "not_found" | "unusable";

/** The SQLite files, by their names in messages and codes. */
export type FileName = "ledger" | "state" | "projections" | "chain";

/** The program's table of failures has the exit code, the meaning and the cure of each. */
export type FailureCode =
  | `${FileName}_${FileFault}`
  | "activity_behind"
  | "address_unusable"
  | "at_before_published"
  | "at_in_future"
  | "chain_behind"
  | "clock_behind"
  | "clock_moved"
  | "clock_skew"
  | "conditions_unsupported"
  | "demo_failed"
  | "demo_running"
  | "directory_unusable"
  | "disk_full"
  | "file_exposed"
  | "file_unreadable"
  | "file_unwritable"
  | "format_unknown"
  | "genesis_contradicted"
  | "head_lost"
  | "head_older"
  | "head_stands_still"
  | "indexer_mismatch"
  | "indexer_unavailable"
  | "installation_changed"
  | "intake_rules_changed"
  | "internal_error"
  | "invalid_deployment"
  | "invalid_setting"
  | "ledger_is_mirror"
  | "lease_expired"
  | "lease_held"
  | "lease_lost"
  | "ledger_behind"
  | "ledger_follows_stream"
  | "ledger_forked"
  | "log_damaged"
  | "log_key_changed"
  | "log_key_invalid"
  | "log_key_missing"
  | "log_not_replayable"
  | "log_unconfirmed"
  | "log_unsigned"
  | "never_published"
  | "nodes_disagree"
  | "not_built"
  | "output_unwritable"
  | "package_missing"
  | "publisher_silent"
  | "store_damaged"
  | "store_forbidden"
  | "store_foreign"
  | "store_unavailable"
  | "stream_access_denied"
  | "stream_gap"
  | "stream_position_unknown"
  | "stream_replaced"
  | "stream_unfit"
  | "stream_untrusted"
  | "too_many_installations"
  | "unknown_installation"
  | "unreachable"
  | "usage";
