import { printableLines } from "../../src/values/printable.ts";

export interface Warning {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** A warning on stderr: `noonmark: warning: code: sentence`, then what to do about it. */
export function warn({ code, message, hint }: Warning): void {
  console.error(printableLines(`noonmark: warning: ${code}: ${message}${hint === undefined ? "" : `\n  ${hint}`}`));
}
