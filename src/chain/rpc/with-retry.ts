/** The one retry policy towards a node: 429, 5xx, broken and missing answers; nothing else, and never past the deadline. */
import { RpcError } from "./rpc-error.ts";

export interface Retry {
  /** Attempts in all, the first one included. */
  readonly attempts: number;
  /** Epoch ms after which nothing is asked any more. */
  readonly deadline: number;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  /** 0 ≤ x < 1. */
  readonly random: () => number;
  /** False where another node is there to ask: a silent node is then asked once. */
  readonly repeatSilent: boolean;
}

const FIRST_BACKOFF = 200;
const LONGEST_BACKOFF = 5_000;
/** A provider that asks for more is a provider that does not answer: another node, or the next pass. */
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

/** Nothing was answered so far, and there is no time to go on asking. */
function outOfTime({ kind, message }: RpcError): RpcError {
  return new RpcError(kind, message, { silent: true, outOfTime: true });
}

/** Milliseconds before the next attempt: full jitter over a doubling bound, on top of what the provider asks for. */
export function delay(attempt: number, asked: number | undefined, random: number): number {
  const bound = Math.min(LONGEST_BACKOFF, FIRST_BACKOFF * 2 ** (attempt - 1));
  return asked === undefined ? Math.ceil(random * bound) : asked + Math.ceil(random * FIRST_BACKOFF);
}
