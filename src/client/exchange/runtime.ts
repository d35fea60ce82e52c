/** The client's environment; tests use a clock of their own. */

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Runtime {
  /** Epoch milliseconds. */
  now(): number;
  /** From 0 to below 1. */
  random(): number;
  /** Calls once after so many milliseconds, unless the function it returns is called before. */
  after(ms: number, act: () => void): () => void;
  readonly fetch: Fetch;
  /**
   * True if a browser's own cache revalidates. That needs no preflight, unlike an explicit If-None-Match, and it shows a 304 as the
   * 200 that it has kept.
   */
  readonly ownCache: boolean;
}

/** A greater delay would be none at all. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export function systemRuntime(fetch: Fetch | undefined): Runtime {
  return {
    now: () => Date.now(),
    random: () => Math.random(),
    after(ms, act) {
      const timer = setTimeout(act, Math.min(ms, MAX_TIMER_MS));
      return () => clearTimeout(timer);
    },
    // Never called as a method: browsers' fetch insists on its window.
    fetch: (url, init) => (fetch ?? globalThis.fetch)(url, init),
    // Every browser says so, workers of pages included; no other runtime does.
    ownCache: globalThis.navigator?.userAgent?.startsWith("Mozilla/") ?? false,
  };
}
