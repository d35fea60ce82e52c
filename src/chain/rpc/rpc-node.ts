/**
 * One RPC address: requests and batches through viem's HTTP client, whose own retries, caches and fallbacks stay
 * outside, because a pass must know which node said what. Every request has a time limit that covers the body, and the
 * body a size limit.
 */
import { getHttpRpcClient } from "viem/utils";
import { redactText, redactUrl } from "./redact.ts";
import { kindOfAnswer, kindOfStatus, RpcError, retryAfter } from "./rpc-error.ts";
import { type Retry, withRetry } from "./with-retry.ts";

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

export interface RpcNode {
  /** The address with whatever may be a key replaced. */
  readonly label: string;
  /** Each call's result in order, from one HTTP request. Throws `RpcError`, for the first call that failed. */
  batch(calls: readonly RpcCall[]): Promise<unknown[]>;
  /** As `batch`, save that a call which still fails after the last attempt gives its error in place of a result. */
  batchSettled(calls: readonly RpcCall[]): Promise<(unknown | RpcError)[]>;
  request(method: string, params: readonly unknown[]): Promise<unknown>;
}

export interface RpcLimits {
  /** Milliseconds that one request may take, its body included. */
  readonly requestTimeout: number;
  /** Bytes that one answer may have. */
  readonly maxResponseBytes: number;
}

/** An answer of ten thousand logs has some 6 MB; what is far above is not read to its end. */
export const RPC_LIMITS: RpcLimits = { requestTimeout: 10_000, maxResponseBytes: 32 * 1024 * 1024 };

interface Answer {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** `retry` is the policy and budget of the pass that asks; nothing is asked after its deadline. */
export function rpcNode(address: string, retry: Retry, limits: RpcLimits = RPC_LIMITS): RpcNode {
  const client = getHttpRpcClient(address, { timeout: 0, maxResponseBodySize: limits.maxResponseBytes });

  async function post(calls: readonly RpcCall[], settled = false): Promise<unknown[]> {
    const left = retry.deadline - retry.now();
    if (left <= 0) throw new RpcError("transient", "the deadline has passed", { silent: true, outOfTime: true });
    const signal = AbortSignal.timeout(Math.max(1, Math.min(limits.requestTimeout, left)));
    const bodies = calls.map((call, id) => ({ id, method: call.method, params: call.params as unknown[] }));
    let status = 200;
    let header: string | null = null;
    const onResponse = (response: Response) => {
      status = response.status;
      header = response.headers.get("retry-after");
    };
    let data: unknown;
    try {
      const body = bodies.length === 1 ? bodies[0] : bodies;
      data = await client.request({ body: body as never, fetchOptions: { signal }, onResponse });
    } catch (cause) {
      throw failureOf(cause, signal.aborted, status, retryAfter(header, undefined, retry.now()), address);
    }
    const answers: readonly Answer[] = Array.isArray(data) ? data : [data as Answer];
    const refusals = new Map<unknown, RpcError>();
    for (const answer of answers) {
      if (answer?.error === undefined || answer.error === null) continue;
      const error = errorOf(answer.error, status, retryAfter(header, answer.error.data, retry.now()), address);
      if (!settled || answer.id === undefined || answer.id === null) throw error;
      refusals.set(answer.id, error);
    }
    if (status !== 200) throw new RpcError(kindOfStatus(status), `HTTP ${status}`);
    const byId = new Map(answers.map((answer) => [answer?.id, answer]));
    return calls.map((call, id) => {
      const answer = byId.get(id);
      const refusal = refusals.get(id);
      if (refusal !== undefined) return refusal;
      if (answer === undefined || !("result" in Object(answer))) {
        throw new RpcError("transient", `no answer to ${call.method}`);
      }
      return answer.result;
    });
  }

  /** One call's error hides no other call's result. */
  async function batchSettled(calls: readonly RpcCall[]): Promise<unknown[]> {
    let answers: unknown[] | undefined;
    try {
      return await withRetry(async () => {
        answers = await post(calls, true);
        for (const answer of answers) if (answer instanceof RpcError && mayPass(answer)) throw answer;
        return answers;
      }, retry);
    } catch (error) {
      if (answers?.includes(error)) return answers;
      throw error;
    }
  }

  return {
    label: redactUrl(address),
    batch: (calls) => withRetry(() => post(calls), retry),
    batchSettled,
    request: async (method, params) => (await withRetry(() => post([{ method, params }]), retry))[0],
  };
}

function mayPass({ kind }: RpcError): boolean {
  return kind === "rate" || kind === "transient";
}

function errorOf(error: NonNullable<Answer["error"]>, status: number, wait: number | undefined, address: string) {
  const known = { code: Number(error.code), message: String(error.message ?? error) };
  const text = redactText(`${known.code} ${known.message}`, [address]);
  return new RpcError(kindOfAnswer(known, status), text, { retryAfter: wait, answered: true });
}

function failureOf(cause: unknown, timedOut: boolean, status: number, wait: number | undefined, address: string) {
  if (timedOut) return new RpcError("transient", "no answer within the time limit", { silent: true });
  const name = cause instanceof Error ? cause.name : "";
  if (name === "ResponseBodyTooLargeError") return new RpcError("range", "the answer is above the size limit");
  if (status !== 200) {
    const text = redactText(bodyText(cause), [address]).slice(0, 200);
    const kind = kindOfAnswer({ code: status === 429 ? 429 : 0, message: text }, status);
    return new RpcError(kind === "refused" ? kindOfStatus(status) : kind, `HTTP ${status} ${text}`, {
      retryAfter: wait,
    });
  }
  return new RpcError("transient", `no whole answer (${rootMessage(cause, address)})`);
}

function bodyText(cause: unknown): string {
  return typeof cause === "object" && cause !== null && "details" in cause ? String(cause.details) : "";
}

function rootMessage(error: unknown, address: string): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return redactText(root instanceof Error ? root.message : String(root), [address]).slice(0, 200);
}
