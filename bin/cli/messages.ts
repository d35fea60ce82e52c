/** Prints a command's failure and its warnings on stderr. */
import { diskFull, isDiskFull } from "../../src/files/disk-full.ts";
import { StoreUnavailable } from "../../src/object-store/object-store.ts";
import { type ExitCode, Failure } from "../../src/values/failure.ts";
import { printableLines } from "../../src/values/printable.ts";
import { errorMessage } from "../../src/values/unknown.ts";
import { reported } from "./hints.ts";

/** Why a command ended: what was thrown, as a failure. */
export function endingOf(thrown: unknown): Failure {
  // The cause names the file on the full disk. It may not be in the settings, such as derived data.
  const isBare = isDiskFull(thrown) && !(thrown instanceof Failure || thrown instanceof StoreUnavailable);
  const error = isBare ? diskFull("the publisher's state", thrown) : thrown;
  if (error instanceof Failure) return error;
  if (error instanceof StoreUnavailable)
    return new Failure(error.code, error.message, { hint: error.ownHint, facts: error.facts });
  return new Failure("internal_error", errorMessage(error));
}

/** Prints a failure on stderr and returns the exit code: `noonmark: code: sentence`, then the hint. */
export function report(thrown: unknown, debug: boolean): ExitCode {
  const failure = endingOf(thrown);
  const { code, message, hint } = reported(failure);
  console.error(printableLines(`noonmark: ${code}: ${message}`));
  const isDefect = code === "internal_error";
  if (!(isDefect && debug)) console.error(printableLines(`  ${hint}`));
  if (debug && thrown instanceof Error) console.error(thrown.stack, thrown.cause ?? "");
  return failure.exitCode;
}

/**
 * Prints lines on stdout, and waits until they are written. Throws `Failure` output_unwritable: a script must not count a run
 * without its output as successful.
 */
export async function print(lines: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<Error | null | undefined>();
  process.stdout.once("error", resolve);
  process.stdout.write(`${lines}\n`, resolve);
  const cause = await promise;
  process.stdout.removeListener("error", resolve);
  if (cause === null || cause === undefined) return;
  throw new Failure("output_unwritable", `stdout cannot be written: ${cause.message}`, { cause });
}

export interface Warning {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** Prints a warning on stderr: `noonmark: warning: code: sentence`, then the hint. */
export function warn(warning: Warning | Failure): void {
  const { code, message, hint } = warning instanceof Failure ? reported(warning) : warning;
  console.error(printableLines(`noonmark: warning: ${code}: ${message}${hint === undefined ? "" : `\n  ${hint}`}`));
}
