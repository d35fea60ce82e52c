/**
 * Classifies a node's errors. Providers agree neither on codes nor on HTTP statuses, so the message's words are checked
 * first.
 * - `range`: the range of events, or its response, exceeds the provider's limit; half of it may work.
 * - `rate`: too many requests; `retryAfter` is set if the provider gives a time.
 * - `transient`: a 5xx, a timeout, a broken response; the same request may work later.
 * - `refused`: the request is invalid; repeating it does not help.
 */
import { fieldsOf } from "../../values/unknown.ts";

export type RpcErrorKind = "range" | "rate" | "transient" | "refused";

export interface RpcErrorFacts {
  /** Wait that the provider asks for, in milliseconds. */
  readonly retryAfter?: number | undefined;
  /** True if the node exceeded the time limit, which every retry may cost again. */
  readonly silent?: boolean;
  /** True if the deadline left no time for another attempt. */
  readonly outOfTime?: boolean;
  /** True if the node responded with a JSON-RPC error, so that the node is up. */
  readonly isResponse?: boolean;
  /** True if the response is too large or implausible for its request: the node is skipped for a while. */
  readonly harmful?: boolean;
}

export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly kind: RpcErrorKind;
  readonly facts: RpcErrorFacts;

  constructor(kind: RpcErrorKind, message: string, facts: RpcErrorFacts = {}) {
    // Do not attach the cause, because it may contain the address and its key.
    super(message);
    this.kind = kind;
    this.facts = facts;
  }
}

const RATE =
  /too many requests|rate.?limit|requests? (?:count|limit) (?:exceeded|reached)|capacity|throttl|quota|credits|slow down/i;
/** Both must match, as in "compute units per second" or "50 calls / s". */
const COUNTED = /request|call|throughput|compute/i;
const PER_TIME = /(?:per|\/).?(?:second|sec|minute|day|s)\b/i;
/** Separate short expressions, because a combined one is too large to be proven linear. */
const RANGE: readonly RegExp[] = [
  /block range/i,
  /range (?:is )?(?:too|limit|exceed)/i,
  /ranges? over/i,
  /too (?:wide|large|big|many (?:blocks|logs|results))/i,
  /max(?:imum)?\.? (?:block )?range/i,
  /maximum (?:is|allowed)/i,
  /limit of \d/i,
  /more than \d[\d,]* (?:results|logs|blocks)/i,
  /exceeds? (?:max|limit|the limit|maximum)/i,
  /max(?:imum)? (?:results|logs|blocks|response)/i,
  /response size/i,
  /response (?:is )?too/i,
  /query (?:timeout|timed out)/i,
  /(?:context|execution) (?:deadline exceeded|aborted|timeout)/i,
  /limit exceeded/i,
  /try (?:with|again with|a smaller)/i,
  /narrow/i,
  /smaller (?:block )?range/i,
];
/** Both must match, as in "limited to a 10,000 blocks range". */
const LIMITED = /limited to/i;
const OF_BLOCKS = /range|block/i;
const REVERTED = /revert|vm execution error|invalid opcode|out of gas/i;
const BEYOND_TIP = /beyond (?:the )?(?:current )?head|header not found|unknown block|block not found/i;

/** Returns the kind of an error by its JSON-RPC code, its message and the HTTP status. */
export function kindOfResponse(error: { code: number; message: string }, status: number): RpcErrorKind {
  const { code, message } = error;
  if (code === 3 || REVERTED.test(message)) return "refused";
  if (BEYOND_TIP.test(message)) return "transient";
  if (status === 429 || code === 429 || isRate(message)) return "rate";
  if (isRange(message) || status === 413) return "range";
  if (code === -32005 || code === -32029) return "rate";
  if (status >= 500 || status === 408 || code === -32603 || code === -32000 || code === -32002) return "transient";
  return "refused";
}

function isRange(message: string): boolean {
  return RANGE.some((one) => one.test(message)) || (LIMITED.test(message) && OF_BLOCKS.test(message));
}

function isRate(message: string): boolean {
  return RATE.test(message) || (COUNTED.test(message) && PER_TIME.test(message));
}

/**
 * Returns the wait in ms by a response's Retry-After (seconds or an HTTP date), or by the error's data, where some
 * providers put it; undefined if neither has one. `now` is epoch ms.
 */
export function retryAfter(header: string | null, data: unknown, now: number): number | undefined {
  if (header !== null) {
    if (/^\s*\d+(?:\.\d+)?\s*$/.test(header)) return Number(header) * 1000;
    const date = Date.parse(header);
    if (!Number.isNaN(date)) return Math.max(0, date - now);
  }
  if (typeof data !== "object" || data === null) return undefined;
  const fields: Record<string, unknown> = { ...data, ...fieldsOf(fieldsOf(data).rate) };
  for (const name of ["retry_after", "retryAfter", "Retry-After", "backoff_seconds", "try_again_in"]) {
    const given = fields[name];
    if (typeof given === "number" && given >= 0) return given * 1000;
    const match = typeof given === "string" ? /^([\d.]+)\s*(ms|s)?$/.exec(given) : null;
    if (match !== null) return Number(match[1]) * (match[2] === "ms" ? 1 : 1000);
  }
  return undefined;
}
