import type { NamedFile } from "../resources/table.ts";
import type { RouteContract } from "./contract.ts";
import type { Reply, Sent } from "./exchange.ts";
import type { Checks, Subject } from "./report.ts";

/** An exchange under judgement. */
export interface Judged {
  readonly run: Checks;
  readonly route: RouteContract | undefined;
  /** If the path is a file's. */
  readonly file?: NamedFile | undefined;
  readonly subject: Subject;
  readonly sent: Sent;
  readonly reply: Reply;
}

/** A URL of a route. */
export interface UrlSubject {
  readonly route: RouteContract;
  readonly target: string;
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
