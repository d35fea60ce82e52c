/** Retries with full jitter and one deadline. Durations are ms on a monotonic clock. */

export interface RetrySettings {
  /** A call has ended after this, in any case. */
  readonly limitMs: number;
  /** One attempt has ended after this. */
  readonly attemptMs: number;
}

export interface Attempt {
  readonly signal: AbortSignal;
  /** On `performance.now()`: a process that was stopped may wake up after it, before its signal fires. */
  readonly end: number;
}

export interface Verdict {
  readonly retry: boolean;
  /** The server's Retry-After; no wait is shorter. */
  readonly afterMs?: number;
}

/** The waits are drawn evenly from 0 to 50, 100, 200, … ms, up to this. */
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1_000;

/**
 * Calls `attempt` until it succeeds, `judge` says that another one is useless, or no time is left for it. Throws the last
 * attempt's error, or the one before if the last attempt had less time and ran out of it. `attempt` must end when its signal
 * fires.
 */
export async function retrying<T>(
  settings: RetrySettings,
  attempt: (attempt: Attempt) => Promise<T>,
  judge: (error: unknown) => Verdict,
): Promise<T> {
  const end = performance.now() + settings.limitMs;
  let before: unknown;
  for (let turn = 0; ; turn++) {
    const now = performance.now();
    const limit = Math.max(1, Math.floor(Math.min(settings.attemptMs, end - now)));
    const signal = AbortSignal.timeout(limit);
    try {
      return await attempt({ signal, end: now + limit });
    } catch (thrown) {
      const error = before !== undefined && limit < settings.attemptMs && signal.aborted ? before : thrown;
      before = error;
      const verdict = judge(error);
      const jitter = Math.random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** turn);
      const wait = Math.max(jitter, verdict.afterMs ?? 0);
      if (!verdict.retry || performance.now() + wait >= end) throw error;
      await new Promise((resolve) => setTimeout(resolve, wait));
      // A process that was stopped meanwhile has no time left to start anything.
      if (performance.now() >= end) throw error;
    }
  }
}
