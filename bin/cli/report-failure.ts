import { diskFull, isDiskFull } from "../../src/files/disk-full.ts";
import { StoreUnavailable } from "../../src/object-store/object-store.ts";
import { EXIT, type ExitCode, Failure } from "../../src/values/failure.ts";
import { printableLines } from "../../src/values/printable.ts";

/** Prints a failure on stderr, once, and gives the exit code: `noonmark: code: sentence`, then what to do about it. */
export function report(thrown: unknown, debug: boolean): ExitCode {
  // Of a file that nobody asked about by name, such as what is derived: the cause says which.
  const isBare = isDiskFull(thrown) && !(thrown instanceof Failure || thrown instanceof StoreUnavailable);
  const error = isBare ? diskFull("the publisher's state", thrown) : thrown;
  if (error instanceof Failure) {
    console.error(printableLines(`noonmark: ${error.code}: ${error.message}`));
    if (error.hint !== undefined) console.error(printableLines(`  ${error.hint}`));
    if (debug) console.error(error.stack, error.cause ?? "");
    return error.exitCode;
  }
  if (error instanceof StoreUnavailable) {
    console.error(printableLines(`noonmark: ${error.code}: ${error.message}`));
    if (error.hint !== undefined) console.error(printableLines(`  ${error.hint}`));
    if (debug) console.error(error.stack, error.cause ?? "");
    return EXIT.io;
  }
  const message = error instanceof Error ? error.message : String(error);
  console.error(printableLines(`noonmark: internal_error: ${message}`));
  console.error(debug && error instanceof Error ? error.stack : "  This is a defect of Noonmark; --debug shows where.");
  return EXIT.failed;
}
