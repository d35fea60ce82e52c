/** The options of a check of a log, and how a fault of the log becomes a finding. */
import { NoonmarkError } from "../../client/log.ts";
import { Failure } from "../../values/failure.ts";
import { errorMessage, rootMessage } from "../../values/unknown.ts";
import { NoResponse } from "../exchange.ts";
import type { Report } from "../report.ts";
import { RULES, ruleName } from "../rules.ts";

export interface LogCheck {
  readonly base: URL;
  readonly keys: readonly string[];
  /** The file that remembers the log from one run to the next. */
  readonly since?: string | undefined;
  /** The telemetry id of a receipt that is looked up. */
  readonly receipt?: string | undefined;
  readonly replay?: boolean | undefined;
  /** Nodes of the reader, with which the chain's views are computed again; undefined without. */
  readonly rpcUrls?: readonly string[] | undefined;
  readonly signal: AbortSignal;
  /** How long an entry may be committed before it is an observation, and a served body be older than the status (ms). */
  readonly lagMs?: number | undefined;
  /** Called now and then. */
  onProgress?(entries: number, of: number): void;
}

export interface LaggedCheck extends LogCheck {
  readonly lagMs: number;
}

/** The request of a finding about the whole log. */
export const THE_LOG = "the log";
/** Progress is said once in so many entries. */
export const PROGRESS_ENTRIES = 4_096;

/**
 * Runs a step of the check. A fault of the log becomes a finding with its code, and undefined is returned. Throws
 * `Failure` log_key_invalid, `NoResponse`, and `NoonmarkError` aborted.
 */
export async function findingsOf<T>(report: Report, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NoonmarkError || error instanceof Failure)) throw error;
    const message = errorMessage(error).replace(`${error.code}: `, "");
    const own = `log/${error.code}`;
    if (!RULES.has(own)) throwOther(error, message);
    const rule = RULES.has(own) ? ruleName(own) : "log/log_incomplete";
    report.on(THE_LOG)(rule, false, RULES.get(rule)?.asserts ?? "", message);
    return undefined;
  }
}

const KEY_HINT = "Give the verifier key, NAME+ID+DATA, in quotes. Its operator prints it: noonmark key show FILE";

/** Throws an error that says nothing about the log. Of the others, a request has failed. */
function throwOther(error: NoonmarkError | Failure, message: string): void {
  if (error instanceof Failure || error.code === "aborted") throw error;
  if (error.code === "log_key_invalid") {
    throw new Failure("log_key_invalid", message, { hint: KEY_HINT, cause: error });
  }
  if (error.code === "network") throw new NoResponse(`${message}: ${rootMessage(error)}`);
}
