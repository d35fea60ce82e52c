/** Failures of commands and modules: their codes and exit codes. bin/cli/failures.ts says what has happened, and what to do. */
import { UnknownFormat } from "./format.ts";

/** Exit codes (docs/spec/publishing.md#commands). */
export const EXIT = { done: 0, failed: 1, usage: 2, io: 74, locked: 75 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** What the hint of a failure depends on, if its code alone does not say what to do. bin/cli/hints.ts phrases each. */
export type HintFacts =
  /** `newLog`: the number of the log that would abandon the published one. `isShort`: the ledger lacks facts. */
  | { readonly is: "ledger_regression"; readonly newLog: number; readonly isShort: boolean }
  /** The ledger lacks facts that its stream has. */
  | { readonly is: "stream_behind" }
  | { readonly is: "next_log"; readonly newLog: number }
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
  /** The hint is that of another code. */
  | { readonly is: "other_code"; readonly code: FailureCode }
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
  readonly exitCode: ExitCode;
  readonly facts: HintFacts | undefined;
  /** The next step in this case. It names no flag and no setting if it comes from src/ or publish/. */
  readonly ownHint: string | undefined;

  constructor(code: FailureCode, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.exitCode = exitCodeOf(code);
    this.facts = options.facts;
    this.ownHint = options.hint;
  }

  /** True if the code is about `subject`, such as "ledger" or "store". */
  isAbout(subject: "ledger" | "log" | "store" | "clock"): boolean {
    return this.code.startsWith(`${subject}_`);
  }
}

export interface FailureOptions {
  readonly hint?: string | undefined;
  readonly facts?: HintFacts | undefined;
  readonly cause?: unknown;
}

/** Returns the error of a reader as an operator's failure, if an object has another format. Other errors are returned unchanged. */
export function formatFailure(error: unknown): unknown {
  return error instanceof UnknownFormat ? new Failure("format_unknown", error.message, { cause: error }) : error;
}

const { failed, usage, io, locked } = EXIT;

/** The exit code of each failure. */
export const FAILURES = {
  activity_behind: failed,
  address_unusable: failed,
  at_before_published: failed,
  at_in_future: usage,
  chain_behind: failed,
  chain_damaged: io,
  clock_behind: failed,
  clock_moved: failed,
  clock_skew: failed,
  conditions_unsupported: usage,
  constant_missing: failed,
  demo_damaged: failed,
  demo_ended: failed,
  demo_running: locked,
  directory_unusable: usage,
  disk_full: io,
  file_exists: failed,
  file_unreadable: io,
  file_unwritable: io,
  format_unknown: io,
  genesis_in_future: failed,
  head_stands_still: failed,
  https_unsupported: usage,
  indexer_mismatch: failed,
  indexer_unavailable: failed,
  installation_changed: usage,
  intake_rules_changed: failed,
  internal_error: failed,
  invalid_configuration: usage,
  invalid_deployment: usage,
  invalid_setting: usage,
  lease_expired: locked,
  lease_held: locked,
  lease_lost: locked,
  lease_unreadable: io,
  ledger_behind: failed,
  ledger_damaged: io,
  ledger_follows_stream: usage,
  ledger_forked: failed,
  ledger_not_found: io,
  log_damaged: io,
  log_key_changed: usage,
  log_key_exposed: usage,
  log_key_invalid: usage,
  log_key_missing: usage,
  log_not_replayable: failed,
  log_unconfirmed: usage,
  log_unsigned: failed,
  never_published: failed,
  new_log_not_next: usage,
  new_log_unconfirmed: usage,
  nodes_disagree: failed,
  not_built: failed,
  output_unwritable: io,
  port_in_use: failed,
  projections_damaged: io,
  publisher_silent: failed,
  state_locked: locked,
  state_unusable: io,
  store_damaged: io,
  store_foreign: usage,
  store_unavailable: io,
  store_unreadable: io,
  store_unwritable: io,
  stream_access_denied: failed,
  stream_gap: failed,
  stream_position_unknown: usage,
  stream_replaced: failed,
  stream_unfit: failed,
  stream_untrusted: failed,
  too_many_installations: failed,
  unknown_installation: usage,
  unreachable: io,
  usage: usage,
} as const satisfies Record<string, ExitCode>;

/** Failures of an SQLite file. A code begins with the file's name: `chain_locked`. `FAILURES` has some with texts of their own. */
export const FILE_FAILURES = {
  damaged: io,
  foreign: io,
  locked: locked,
  not_found: io,
  unreadable: io,
  unwritable: io,
} as const satisfies Record<string, ExitCode>;

/** The SQLite files, by their names in messages and codes. */
export type FileName = "ledger" | "state" | "projections" | "chain";

export type FailureCode = keyof typeof FAILURES | `${FileName}_${keyof typeof FILE_FAILURES}`;

const EXITS = new Map<string, ExitCode>(Object.entries({ ...FILE_FAILURES, ...FAILURES }));

function exitCodeOf(code: FailureCode): ExitCode {
  return EXITS.get(code) ?? EXITS.get(code.slice(code.indexOf("_") + 1)) ?? EXIT.failed;
}
