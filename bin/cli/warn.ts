import { printableLines } from "../../src/values/printable.ts";

/** A warning on stderr: `noonmark: warning: code: sentence`, then what to do about it. */
export function warn({
  code,
  message,
  hint,
}: {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}): void {
  console.error(printableLines(`noonmark: warning: ${code}: ${message}${hint === undefined ? "" : `\n  ${hint}`}`));
}
