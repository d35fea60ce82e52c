/**
 * One RPC address: requests and batches, each with a time limit that covers the response's body and a size limit for it.
 * Messages of its errors have the node's own words. They are cleaned before they are shown (`Secrets`).
 */
import { noResponse } from "../../values/no-response.ts";
import { implausibility, type PostResponse, postJson, postTarget, ResponseTooLarge } from "./post-json.ts";
import { kindOfResponse, kindOfStatus, RpcError, type RpcErrorKind, retryAfter } from "./rpc-error.ts";
import { redactUrl } from "./secrets.ts";

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RpcNode {
  /** The address with whatever may be a key replaced. */
  readonly label: string;
  /** Each call's result in order, from one HTTP request. Throws `RpcError`, for the first call that failed. */
  batch(calls: readonly RpcCall[]): Promise<unknown[]>;
  /** As `batch`, but a call that still fails after the last attempt gives its error in place of a result. */
  batchSettled(calls: readonly RpcCall[]): Promise<(unknown | RpcError)[]>;
  request(method: string, params: readonly unknown[]): Promise<unknown>;
}

export interface RpcLimits {
  /** Milliseconds that one request may take, its body included. */
  readonly requestTimeout: number;
  /** Bytes that a response may have, decompressed. Each header that is asked for adds `HEADER_BYTES`. */
  readonly maxResponseBytes: number;
  /** As `maxResponseBytes`, for eth_getLogs. */
  readonly maxLogsBytes: number;
}

/** Ten thousand logs have some 6 MB. */
export const RPC_LIMITS: RpcLimits = {
  requestTimeout: 10_000,
  maxResponseBytes: 1024 * 1024,
  maxLogsBytes: 16 * 1024 * 1024,
};
/** A header lists the hashes of its block's transactions: nine hundred fit. */
const HEADER_BYTES = 64 * 1024;

const LONGEST_MESSAGE = 16_384;
/** Node's own words for a redirect under `redirect: "error"`. */
const FETCH_REDIRECTED = "unexpected redirect";

interface RpcResponse {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** How one HTTP request to a node ended. */
export type RpcOutcome = "answered" | "silent" | RpcErrorKind;

/**
 * `retry` is the policy and budget of the pass that asks; nothing is asked after its deadline. `onRequest` is called after
 * each HTTP request, repeated ones included.
 */
export function rpcNode(
  address: string,
  retry: Retry,
  limits: RpcLimits = RPC_LIMITS,
  onRequest?: (outcome: RpcOutcome) => void,
): RpcNode {
  const target = postTarget(address);
  const label = redactUrl(address);

  async function post(calls: readonly RpcCall[], settled = false): Promise<unknown[]> {
    const left = retry.deadline - retry.now();
    if (left <= 0) throw new RpcError("transient", "the deadline has passed", { silent: true, outOfTime: true });
    try {
      const results = await postWithin(left, calls, settled);
      onRequest?.("answered");
      return results;
    } catch (error) {
      onRequest?.(outcomeOf(error));
      throw error;
    }
  }

  /** Results in order; a call's error is thrown, or takes its result's place if `settled`. `left` in ms. */
  async function postWithin(left: number, calls: readonly RpcCall[], settled: boolean): Promise<unknown[]> {
    const limit = Math.max(1, Math.min(limits.requestTimeout, left));
    const signal = AbortSignal.timeout(limit);
    const bodies = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }));
    let response: PostResponse;
    try {
      response = await postJson(target, bodies.length === 1 ? bodies[0] : bodies, {
        signal,
        maxBytes: maxBytesOf(calls, limits),
      });
    } catch (cause) {
      if (signal.aborted) {
        const when = limit < limits.requestTimeout ? "before the pass had to end" : `within ${limit / 1000} s`;
        throw new RpcError("transient", `no response ${when}`, { silent: true });
      }
      throw failureOf(cause, calls, label);
    }
    const implausible = implausibility(response.body, calls.length);
    if (implausible !== undefined) throw new RpcError("transient", implausible, { harmful: true });
    const byId = new Map(responsesOf(response, retry.now()).map((one) => [one?.id, one]));
    for (const one of byId.values()) {
      if (one?.error === undefined || one.error === null) continue;
      const isOfACall = one.id !== undefined && one.id !== null;
      if (!settled || !isOfACall) throw errorOf(one.error, response, retry.now());
    }
    return calls.map(({ method }, id) => {
      const one = byId.get(id);
      if (one?.error !== undefined && one.error !== null) return errorOf(one.error, response, retry.now());
      if (one === undefined || !("result" in Object(one))) throw new RpcError("transient", `no response to ${method}`);
      return one.result;
    });
  }

  /** One call's error hides no other call's result. */
  async function batchSettled(calls: readonly RpcCall[]): Promise<unknown[]> {
    let responses: unknown[] | undefined;
    try {
      return await withRetry(async () => {
        responses = await post(calls, true);
        for (const response of responses) if (response instanceof RpcError && mayPass(response)) throw response;
        return responses;
      }, retry);
    } catch (error) {
      if (responses?.includes(error)) return responses;
      throw error;
    }
  }

  return {
    label,
    batch: (calls) => withRetry(() => post(calls), retry),
    batchSettled,
    request: async (method, params) => (await withRetry(() => post([{ method, params }]), retry))[0],
  };
}

function outcomeOf(error: unknown): RpcOutcome {
  if (!(error instanceof RpcError)) return "transient";
  return error.silent ? "silent" : error.kind;
}

function mayPass({ kind }: RpcError): boolean {
  return kind === "rate" || kind === "transient";
}

/** The members of an HTTP 200, or of a refusal in JSON-RPC's own form. Throws `RpcError`. */
function responsesOf({ status, body, retryAfter: header }: PostResponse, now: number): readonly RpcResponse[] {
  const text = body.toString("utf8");
  if (status !== 200) {
    const kind = kindOfResponse({ code: status === 429 ? 429 : 0, message: shortened(text) }, status);
    throw new RpcError(kind === "refused" ? kindOfStatus(status) : kind, `HTTP ${status} ${shortened(text)}`, {
      retryAfter: retryAfter(header, undefined, now),
    });
  }
  try {
    const data: unknown = JSON.parse(text);
    return Array.isArray(data) ? data : [data as RpcResponse];
  } catch {
    // The parser's message quotes the response, which must not be printed.
    throw new RpcError("transient", "the response is not JSON", { retryAfter: retryAfter(header, undefined, now) });
  }
}

function errorOf(error: NonNullable<RpcResponse["error"]>, { status, retryAfter: header }: PostResponse, now: number) {
  const known = { code: Number(error.code), message: shortened(String(error.message ?? error)) };
  const wait = retryAfter(header, error.data, now);
  return new RpcError(kindOfResponse(known, status), `${known.code} ${known.message}`, {
    retryAfter: wait,
    isResponse: true,
  });
}

function maxBytesOf(calls: readonly RpcCall[], limits: RpcLimits): number {
  if (asksForLogs(calls)) return limits.maxLogsBytes;
  const headers = calls.filter(({ method }) => method === "eth_getBlockByNumber").length;
  return limits.maxResponseBytes + headers * HEADER_BYTES;
}

function asksForLogs(calls: readonly RpcCall[]): boolean {
  return calls.some(({ method }) => method === "eth_getLogs");
}

function failureOf(cause: unknown, calls: readonly RpcCall[], label: string): RpcError {
  if (cause instanceof ResponseTooLarge) {
    return asksForLogs(calls)
      ? new RpcError("range", cause.message)
      : new RpcError("transient", cause.message, { harmful: true });
  }
  const message = rootMessage(cause);
  if (message === FETCH_REDIRECTED) {
    return new RpcError("refused", "the address redirects, and no redirect is followed: set rpcUrl to where it leads");
  }
  const plain = noResponse(cause, { address: new URL(label).origin, setting: "rpcUrl" });
  return new RpcError("transient", plain?.says ?? `no complete response (${message})`);
}

/** Only the beginning of a message is searched for the kind of the error, because it may have megabytes. */
function shortened(text: string): string {
  return text.length > LONGEST_MESSAGE ? text.slice(0, LONGEST_MESSAGE) : text;
}

function rootMessage(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return shortened(root instanceof Error ? root.message : String(root));
}

// The one retry policy: it repeats after 429, 5xx, broken and missing responses, and never past the deadline.

export interface Retry {
  /** Attempts in all, the first one included. */
  readonly attempts: number;
  /** Epoch ms after which nothing is asked any more. */
  readonly deadline: number;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  /** False if there is another node: a silent node is then asked once. */
  readonly repeatSilent: boolean;
}

const FIRST_BACKOFF = 200;
const LONGEST_BACKOFF = 5_000;
/** A provider that asks for more counts as silent: another node is asked, or the next pass asks again. */
export const LONGEST_RETRY_AFTER = 30_000;

/** Runs until it succeeds or the policy ends; throws the last error. */
export async function withRetry<T>(run: () => Promise<T>, retry: Retry): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof RpcError) || attempt >= retry.attempts) throw error;
      if (error.kind === "range" || error.kind === "refused" || error.harmful) throw error;
      if (error.silent && !retry.repeatSilent) throw error;
      const wait = delay(attempt, error.retryAfter, retry.random());
      if (wait > LONGEST_RETRY_AFTER) throw error;
      if (retry.now() + wait >= retry.deadline) throw error.silent ? outOfTime(error) : error;
      await retry.sleep(wait);
    }
  }
}

/** There was no response so far, and no time is left for another attempt. */
function outOfTime({ kind, message }: RpcError): RpcError {
  return new RpcError(kind, message, { silent: true, outOfTime: true });
}

/** Milliseconds before the next attempt: full jitter over a doubling bound, on top of what the provider asks for. */
export function delay(attempt: number, asked: number | undefined, random: number): number {
  const bound = Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** (attempt - 1));
  return asked === undefined ? Math.ceil(random * bound) : asked + Math.ceil(random * FIRST_BACKOFF);
}
