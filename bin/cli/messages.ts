/** A command's output on stdout, and its failure and its warnings on stderr. */
import { inspect } from "node:util";
import { diskFull, isDiskFull } from "../../src/files/disk-full.ts";
import { StoreUnavailable } from "../../src/object-store/object-store.ts";
import { Failure } from "../../src/values/failure.ts";
import { printable, printableLines } from "../../src/values/printable.ts";
import { errorMessage, systemCode } from "../../src/values/unknown.ts";
import { type ExitCode, exitCodeOf, reported } from "./failures.ts";

/** Why a command ended: what was thrown, as a failure. */
export function endingOf(thrown: unknown): Failure {
  // The cause names the file on the full disk. It may not be in the settings, such as derived data.
  const isBare = isDiskFull(thrown) && !(thrown instanceof Failure || thrown instanceof StoreUnavailable);
  const error = isBare ? diskFull("the publisher's state", thrown) : thrown;
  if (error instanceof Failure) return error;
  if (error instanceof StoreUnavailable) return new Failure(error.code, error.message, { hint: error.hint });
  return new Failure("internal_error", errorMessage(error));
}

/** Prints a failure on stderr and returns the exit code: `noonmark: code: sentence`, then the hint. */
export function report(thrown: unknown, debug: boolean): ExitCode {
  const failure = endingOf(thrown);
  const { code, message, hint } = reported(failure);
  console.error(printableLines(`noonmark: ${code}: ${message}`));
  const isDefect = code === "internal_error";
  if (!(isDefect && debug)) console.error(printableLines(`  ${hint}`));
  if (debug && thrown instanceof Error) console.error(printableLines(inspect(thrown)));
  return exitCodeOf(failure);
}

/**
 * Prints a text, or lines, on stdout. Foreign text in it is escaped, also in JSON, where an escape means the same. In a
 * list, a line feed is escaped, too. Throws as `write`.
 */
export function print(text: string | readonly string[]): Promise<boolean> {
  const lines = typeof text === "string" ? [printableLines(text)] : text.map((line) => printable(line, Infinity));
  return write(lines.map((line) => `${line}\n`).join(""));
}

/** Returns the rows as lines, whose columns are aligned, without trailing spaces. */
export function tableLines(rows: readonly (readonly (string | number)[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => String(row[column]).length)) + 2);
  return rows.map((row) =>
    row
      .map((cell, column) => String(cell).padEnd(widths[column] ?? 0))
      .join("")
      .trimEnd(),
  );
}

/** True once whoever read stdout has gone. */
let isUnread = false;

/**
 * The only place that writes on stdout. It waits until the text is written. Returns false if the reader has gone, such
 * as `head`: the command goes on without output. Throws `Failure` output_unwritable, because a script must not count a
 * run without its output as successful.
 */
export async function write(text: string): Promise<boolean> {
  if (isUnread || text === "") return !isUnread;
  const { promise, resolve } = Promise.withResolvers<Error | null | undefined>();
  process.stdout.once("error", resolve);
  process.stdout.write(text, resolve);
  const cause = await promise;
  process.stdout.removeListener("error", resolve);
  if (cause === null || cause === undefined) return true;
  isUnread = systemCode(cause) === "EPIPE";
  if (isUnread) return false;
  throw new Failure("output_unwritable", `stdout cannot be written: ${cause.message}`, { cause });
}

// A write fails twice: for its caller, and as an event that would end the process. A message on stderr has no other
// place to go.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

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
