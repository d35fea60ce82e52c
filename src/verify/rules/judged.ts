import type { RouteContract } from "../contract.ts";
import type { Reply, Sent } from "../exchange/exchange.ts";
import type { Subject } from "../report/report.ts";
import type { Run } from "../run.ts";

/** An exchange under judgement. */
export interface Judged {
  readonly run: Run;
  readonly route: RouteContract | undefined;
  readonly subject: Subject;
  readonly sent: Sent;
  readonly reply: Reply;
}

/** For a finding: what was asked. */
export function asked({ sent }: Judged): string {
  const lines = Object.entries(sent.headers)
    .filter(([name, value]) => name !== "accept-encoding" || value !== "identity")
    .map(([name, value]) => `${name}: ${value}`);
  return `${sent.method} ${sent.target}${lines.length === 0 ? "" : ` with ${lines.join(", ")}`}`;
}

/** A header's value, or that it is not there. */
export function shown(value: string | undefined): string {
  return value === undefined ? "none" : `"${value}"`;
}
