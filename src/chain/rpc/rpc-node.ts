/**
 * Sends requests and batches to one RPC address, each with a size limit and a time limit that covers the body. Error
 * messages contain the node's text, which `Secrets` cleans before display.
 */
import { NODE_WAITS, waitMs } from "../../values/backoff.ts";
import { noResponse } from "../../values/no-response.ts";
import { rootMessage } from "../../values/unknown.ts";
import { implausibility, type PostResponse, postJson } from "./post-json.ts";
import { kindOfResponse, RpcError, type RpcErrorKind, retryAfter } from "./rpc-error.ts";
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
  readonly maxEventsBytes: number;
}

/** Ten thousand events take about 6 MB. */
export const RPC_LIMITS: RpcLimits = {
  requestTimeout: 10_000,
  maxResponseBytes: 1024 * 1024,
  maxEventsBytes: 16 * 1024 * 1024,
};
/** A header lists the hashes of its block's transactions; nine hundred fit. */
const HEADER_BYTES = 64 * 1024;

/** Characters of a message, which may have megabytes, that are searched for the kind of the error. */
const LONGEST_MESSAGE = 16_384;

interface RpcResponse {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown } | null;
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
  const label = redactUrl(address);

  /** Returns results in order. Throws a call's error, or returns it as the call's result if `settled`. */
  async function post(calls: readonly RpcCall[], settled: boolean): Promise<unknown[]> {
    const left = retry.deadline - retry.now();
    if (left <= 0) throw new RpcError("transient", "the deadline has passed", { silent: true, outOfTime: true });
    let outcome: RpcOutcome = "transient";
    try {
      const response = await postWithin(Math.max(1, Math.min(limits.requestTimeout, left)), calls);
      const results = resultsOf(response, calls, settled, retry.now());
      outcome = "responded";
      return results;
    } catch (error) {
      if (error instanceof RpcError) outcome = error.facts.silent ? "silent" : error.kind;
      throw error;
    } finally {
      onRequest?.(outcome);
    }
  }

  /** `limit` is ms. */
  async function postWithin(limit: number, calls: readonly RpcCall[]): Promise<PostResponse> {
    const signal = AbortSignal.timeout(limit);
    const bodies = calls.map(({ method, params }, id) => ({ jsonrpc: "2.0", id, method, params }));
    const asksForEvents = calls.some(({ method }) => method === "eth_getLogs");
    const headers = calls.filter(({ method }) => method === "eth_getBlockByNumber").length;
    const maxBytes = asksForEvents ? limits.maxEventsBytes : limits.maxResponseBytes + headers * HEADER_BYTES;
    try {
      const response = await postJson(address, bodies.length === 1 ? bodies[0] : bodies, signal, maxBytes);
      if (response !== undefined) return response;
    } catch (cause) {
      if (signal.aborted) {
        const when = limit < limits.requestTimeout ? "before the pass's deadline" : `within ${limit / 1000} s`;
        throw new RpcError("transient", `no response ${when}`, { silent: true });
      }
      const says = noResponse(cause, new URL(label).origin)?.says;
      const message = rootMessage(cause).slice(0, LONGEST_MESSAGE);
      throw new RpcError("transient", says ?? `no complete response (${message})`);
    }
    const says = `the response has more than ${maxBytes} bytes`;
    throw asksForEvents ? new RpcError("range", says) : new RpcError("transient", says, { harmful: true });
  }

  const batch = (calls: readonly RpcCall[]) => withRetry(() => post(calls, false), retry);

  /** Keeps the results of the other calls if one fails. */
  async function batchSettled(calls: readonly RpcCall[]): Promise<unknown[]> {
    let results: unknown[] = [];
    try {
      return await withRetry(async () => {
        results = await post(calls, true);
        for (const result of results) if (result instanceof RpcError && mayPass(result)) throw result;
        return results;
      }, retry);
    } catch (error) {
      if (results.includes(error)) return results;
      throw error;
    }
  }

  return { label, batch, batchSettled, request: async (method, params) => (await batch([{ method, params }]))[0] };
}

function mayPass({ kind }: RpcError): boolean {
  return kind === "rate" || kind === "transient";
}

/** Finds results by id, because a node may omit some or change their order. Throws `RpcError`. */
function resultsOf(response: PostResponse, calls: readonly RpcCall[], settled: boolean, now: number): unknown[] {
  const { status, body } = response;
  const implausible = implausibility(body, calls.length);
  if (implausible !== undefined) throw new RpcError("transient", implausible, { harmful: true });
  const errorOf = (error: NonNullable<RpcResponse["error"]>) => {
    const known = { code: Number(error.code), message: String(error.message ?? error).slice(0, LONGEST_MESSAGE) };
    const facts = { retryAfter: retryAfter(response.retryAfter, error.data, now), isResponse: true };
    return new RpcError(kindOfResponse(known, status), `${known.code} ${known.message}`, facts);
  };
  const byId = new Map<unknown, RpcResponse>();
  for (const one of responsesOf(response, now)) {
    if (one?.error && !(settled && one.id !== undefined && one.id !== null)) throw errorOf(one.error);
    byId.set(one?.id, one);
  }
  return calls.map(({ method }, id) => {
    const one = byId.get(id);
    if (one?.error) return errorOf(one.error);
    if (one === undefined || !("result" in Object(one))) throw new RpcError("transient", `no response to ${method}`);
    return one.result;
  });
}

/** Returns the responses in an HTTP 200. Throws `RpcError` for another status, or if the body is not JSON. */
function responsesOf({ status, body, retryAfter: header }: PostResponse, now: number): readonly RpcResponse[] {
  if (status >= 300 && status < 400) {
    const says = "the address redirects, and redirects are not followed: use the address of the target";
    throw new RpcError("refused", says);
  }
  const text = body.toString("utf8");
  const wait = { retryAfter: retryAfter(header, undefined, now) };
  if (status !== 200) {
    const message = text.slice(0, LONGEST_MESSAGE);
    const kind = kindOfResponse({ code: 0, message }, status);
    throw new RpcError(kind === "refused" && status >= 500 ? "transient" : kind, `HTTP ${status} ${message}`, wait);
  }
  try {
    const data: unknown = JSON.parse(text);
    return Array.isArray(data) ? data : [data as RpcResponse];
  } catch {
    // Omit the parser's message: it quotes the response, which must not be printed.
    throw new RpcError("transient", "the response is not JSON", wait);
  }
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
      if (!(error instanceof RpcError) || attempt >= retry.attempts || !mayPass(error)) throw error;
      const { silent, harmful, retryAfter: asked = 0 } = error.facts;
      if (harmful || (silent && !retry.repeatSilent) || asked > NODE_WAITS.askedMs) throw error;
      const wait = Math.ceil(waitMs(NODE_WAITS, attempt, retry.random(), asked));
      if (retry.now() + wait >= retry.deadline)
        throw silent ? new RpcError(error.kind, error.message, { silent, outOfTime: true }) : error;
      await retry.sleep(wait);
    }
  }
}
