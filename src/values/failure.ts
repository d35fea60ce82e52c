/** Failures of commands and modules. A program gives each code its exit code and says what to do. */
import { UnknownFormat } from "./format.ts";

/**
 * A failure that an operator can act on: a stable code for programs, a sentence for people. It is thrown where the cause
 * is known and printed once, by the program, whose table of failures has a row for each code.
 */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: string;
  /**
   * The next step in this case, if the code's cure is less exact. From src/ and publish/ it names no flag and no setting.
   */
  readonly hint: string | undefined;

  constructor(code: string, message: string, options: FailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
  }

  /** True if the code is about `subject`, such as "ledger" or "clock". */
  isAbout(subject: string): boolean {
    return this.code.startsWith(`${subject}_`);
  }
}

export interface FailureOptions {
  readonly hint?: string | undefined;
  readonly cause?: unknown;
}

/** Returns the error of a reader as an operator's failure, if an object has another format; other errors unchanged. */
export function formatFailure(error: unknown): unknown {
  return error instanceof UnknownFormat ? new Failure("format_unknown", error.message, { cause: error }) : error;
}
