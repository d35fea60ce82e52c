/** Retries a call until one deadline. Durations are ms on a monotonic clock. */
import { STORE_WAITS, waitMs } from "../values/backoff.ts";

export interface RetrySettings {
  /** Time limit of a call, including retries. */
  readonly limitMs: number;
  /** Time limit of one attempt. */
  readonly attemptMs: number;
}

export interface Attempt {
  readonly signal: AbortSignal;
  /** Deadline by `performance.now()`: a process that was stopped may continue after it, before its signal fires. */
  readonly end: number;
}

export interface RetryDecision {
  readonly retry: boolean;
  /** The server's Retry-After in ms, which is the minimum wait. */
  readonly afterMs?: number;
}

/**
 * Calls `attempt` until it succeeds, `decide` forbids a retry, or no time is left. `attempt` must end when its signal
 * fires. Throws the last attempt's error. If the last attempt had less time than the others and timed out, that says
 * little, so the error before it is thrown.
 */
export async function retrying<T>(
  settings: RetrySettings,
  attempt: (attempt: Attempt) => Promise<T>,
  decide: (error: unknown) => RetryDecision,
): Promise<T> {
  const end = performance.now() + settings.limitMs;
  let earlier: unknown;
  for (let failures = 1; ; failures++) {
    const now = performance.now();
    const limit = Math.max(1, Math.floor(Math.min(settings.attemptMs, end - now)));
    const signal = AbortSignal.timeout(limit);
    try {
      return await attempt({ signal, end: now + limit });
    } catch (thrown) {
      const error = earlier !== undefined && limit < settings.attemptMs && signal.aborted ? earlier : thrown;
      earlier = error;
      const decision = decide(error);
      const wait = waitMs(STORE_WAITS, failures, Math.random(), decision.afterMs);
      if (!decision.retry || performance.now() + wait >= end) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
      // A process that was stopped during the wait may have no time left.
      if (performance.now() >= end) throw error;
    }
  }
}
