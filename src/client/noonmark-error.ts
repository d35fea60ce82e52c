/** The one error of the client. */
import type { Activity } from "./generated/bodies.ts";
import type { ApiErrorCode } from "./generated/methods.ts";

/**
 * `code` is the API's error word (docs/spec/api.md#errors), a feed's reason for being unavailable, or one of the
 * client's own: `network`, `timeout`, `aborted`, `invalid_answer`.
 */
export type NoonmarkErrorCode =
  | ApiErrorCode
  | Extract<Activity, { status: "unavailable" }>["reason"]
  | "network"
  | "timeout"
  | "aborted"
  | "invalid_answer"
  // Any other code of a later server; keeps the known ones in an editor's completion.
  | (string & Record<never, never>);

export interface NoonmarkErrorDetails {
  readonly status?: number | null;
  readonly retryAfter?: number | null;
  readonly cause?: unknown;
}

export class NoonmarkError extends Error {
  override readonly name = "NoonmarkError";
  readonly code: NoonmarkErrorCode;
  /** The HTTP status; null where no answer came. */
  readonly status: number | null;
  /** Seconds after which the server wants to be asked again; null where it did not say. */
  readonly retryAfter: number | null;

  constructor(
    code: NoonmarkErrorCode,
    sentence: string,
    { status = null, retryAfter = null, cause }: NoonmarkErrorDetails = {},
  ) {
    super(`${code}: ${sentence}`, { cause });
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}
