/**
 * A fault of a log, a checkpoint or a key. The text came from outside, so messages quote it with escapes.
 *
 * - `log_key_invalid`: the text is not a verifier key or a private key.
 * - `log_unsigned`: no signature of a known key, or one that does not fit the text.
 * - `log_malformed`: a checkpoint, a tile or an entry bundle does not have the form that the specifications require.
 * - `log_incomplete`: the checkpoint counts entries whose tile or bundle is missing.
 * - `log_damaged`: a tile or an entry does not hash into the checkpoint's root.
 * - `log_rewritten`: a later checkpoint does not contain what an earlier one contained.
 * - `log_restarted`: the checkpoint belongs to another log: another name, or another number.
 */
export type LogErrorCode =
  | "log_key_invalid"
  | "log_unsigned"
  | "log_malformed"
  | "log_incomplete"
  | "log_damaged"
  | "log_rewritten"
  | "log_restarted";

export class LogError extends Error {
  override readonly name = "LogError";
  readonly code: LogErrorCode;

  constructor(code: LogErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
