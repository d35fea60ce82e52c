/** Exit codes (docs/spec/publishing.md#commands). */
export const EXIT = { done: 0, failed: 1, usage: 2, io: 74, locked: 75 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/**
 * A failure that an operator can act on: a stable code for programs, a sentence for people, and a hint. It is thrown
 * where the cause is known and printed once, by bin/.
 */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly code: string;
  readonly exitCode: ExitCode;
  /** The next step, as a command. */
  readonly hint: string;

  constructor(code: string, message: string, options: { exit: ExitCode; hint: string; cause?: unknown }) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.exitCode = options.exit;
    this.hint = options.hint;
  }

  /** True if the code is about `subject`, such as "ledger" or "store". */
  isAbout(subject: "ledger" | "store" | "clock"): boolean {
    return this.code.startsWith(`${subject}_`);
  }
}
