/** The only error class of the client. */
import type { ApiErrorCode } from "./generated/methods.ts";

/**
 * `code` is the API's error code (docs/spec/api.md#errors), the reason why activity is unavailable, or one of the
 * client's own codes: `network`, `timeout`, `aborted`, `invalid_response`.
 */
export type NoonmarkErrorCode =
  | ApiErrorCode
  | "network"
  | "timeout"
  | "aborted"
  | "invalid_response"
  // A code of `noonmark/log`. This form keeps the known codes in editor completion.
  | (string & Record<never, never>);

export interface NoonmarkErrorDetails {
  readonly status?: number | null;
  readonly retryAfter?: number | null;
  readonly cause?: unknown;
}

export class NoonmarkError extends Error {
  override readonly name = "NoonmarkError";
  readonly code: NoonmarkErrorCode;
  /** The HTTP status; null if there was no response. */
  readonly status: number | null;
  /** Seconds to wait before the next request; null if the server did not say. */
  readonly retryAfter: number | null;

  constructor(
    code: NoonmarkErrorCode,
    message: string,
    { status = null, retryAfter = null, cause }: NoonmarkErrorDetails = {},
  ) {
    super(`${code}: ${message}`, { cause });
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}
