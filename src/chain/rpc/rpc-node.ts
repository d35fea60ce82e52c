/**
 * Sends requests and batches to one RPC address, each with a size limit and a time limit that covers the body. Error
 * messages contain the node's text, which `Secrets` cleans before display.
 */
import { NODE_WAITS, waitMs } from "../../values/backoff.ts";
import { noResponse } from "../../values/no-response.ts";
import { rootMessage } from "../../values/unknown.ts";
import { implausibility, type PostResponse, postJson, postTarget, ResponseTooLarge } from "./post-json.ts";
import { kindOfResponse, kindOfStatus, RpcError, type RpcErrorKind, retryAfter } from "./rpc-error.ts";
import { redactUrl } from "./secrets.ts";

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RpcNode {
  /** The address with possible keys replaced. */
  readonly label: string;
  /** Returns the calls' results in order, from one HTTP request. Throws the `RpcError` of the first failed call. */
  batch(calls: readonly RpcCall[]): Promise<unknown[]>;
  /** Like `batch`, but returns the error of a call that still fails after the last attempt as its result. */
  batchSettled(calls: readonly RpcCall[]): Promise<(unknown | RpcError)[]>;
  request(method: string, params: readonly unknown[]): Promise<unknown>;
}

export interface RpcLimits {
  /** Time limit of one request including its body (ms). */
  readonly requestTimeout: number;
  /** Maximum bytes of a decompressed response. Each requested header adds `HEADER_BYTES`. */
  readonly maxResponseBytes: number;
  /** The same limit for eth_getLogs. */
  readonly maxLogsBytes: number;
}

/** Ten thousand logs take about 6 MB. */
export const RPC_LIMITS: RpcLimits = {
  requestTimeout: 10_000,
  maxResponseBytes: 1024 * 1024,
  maxLogsBytes: 16 * 1024 * 1024,
};
/** A header lists the hashes of its block's transactions; nine hundred fit. */
const HEADER_BYTES = 64 * 1024;

const LONGEST_MESSAGE = 16_384;
/** Node's message for a redirect under `redirect: "error"`. */
const FETCH_REDIRECTED = "unexpected redirect";

interface RpcResponse {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The outcome of one HTTP request to a node. */
export type RpcOutcome = "responded" | "silent" | RpcErrorKind;

/**
 * Creates a node. `retry` is the policy and deadline of the pass; no request starts after the deadline. `onRequest` is
 * called after each HTTP request, including retries.
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
      onRequest?.("responded");
      return results;
    } catch (error) {
      onRequest?.(outcomeOf(error));
      throw error;
    }
  }

  /** Returns results in order. Throws a call's error, or returns it as the call's result if `settled`. `left` is ms. */
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
        const when = limit < limits.requestTimeout ? "before the pass's deadline" : `within ${limit / 1000} s`;
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

  /** Keeps the results of the other calls if one fails. */
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

/** Returns the responses in an HTTP 200. Throws `RpcError` for another status, or if the body is not JSON. */
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
    // Omit the parser's message: it quotes the response, which must not be printed.
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
  const message = shortened(rootMessage(cause));
  if (message === FETCH_REDIRECTED) {
    return new RpcError(
      "refused",
      "the address redirects, and redirects are not followed: use the address of the target",
    );
  }
  const plain = noResponse(cause, new URL(label).origin);
  return new RpcError("transient", plain?.says ?? `no complete response (${message})`);
}

/** Cuts a message, which may have megabytes, to the part that is searched for the kind of the error. */
function shortened(text: string): string {
  return text.length > LONGEST_MESSAGE ? text.slice(0, LONGEST_MESSAGE) : text;
}

/** Retries after 429, 5xx, and broken or missing responses, never after the deadline. */
export interface Retry {
  /** Attempts including the first. */
  readonly attempts: number;
  /** Epoch ms after which no request starts. */
  readonly deadline: number;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** Returns x with 0 ≤ x < 1. */
  readonly random: () => number;
  /** False if there is another node, so that a silent node is asked once. */
  readonly repeatSilent: boolean;
}

/** Repeats `run` until it succeeds or the policy ends. Throws the last error. */
async function withRetry<T>(run: () => Promise<T>, retry: Retry): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof RpcError) || attempt >= retry.attempts) throw error;
      if (error.kind === "range" || error.kind === "refused" || error.harmful) throw error;
      if (error.silent && !retry.repeatSilent) throw error;
      if ((error.retryAfter ?? 0) > NODE_WAITS.askedMs) throw error;
      const wait = Math.ceil(waitMs(NODE_WAITS, attempt, retry.random(), error.retryAfter));
      if (retry.now() + wait >= retry.deadline) throw error.silent ? outOfTime(error) : error;
      await retry.sleep(wait);
    }
  }
}

/** Marks an error after which no time is left for another attempt. */
function outOfTime({ kind, message }: RpcError): RpcError {
  return new RpcError(kind, message, { silent: true, outOfTime: true });
}
