/** How long the store's client, the reader of nodes, `noonmark/client` and the page wait before they repeat a request. */

interface Waits {
  /** The bound of the first wait (ms). It doubles after each further failure. */
  readonly firstMs: number;
  /** The longest bound (ms). */
  readonly longestMs: number;
  /** The longest wait (ms) that a server's Retry-After can cause. */
  readonly askedMs: number;
}

/** A request to an S3 store. The time limit of the whole call (`s3-store.ts`, `LIMITS`) ends the attempts. */
export const STORE_WAITS: Waits = { firstMs: 50, longestMs: 1_000, askedMs: Number.POSITIVE_INFINITY };
/** A request to a node of the chain. If the node asks for more, another node or the next pass is asked. */
export const NODE_WAITS: Waits = { firstMs: 200, longestMs: 5_000, askedMs: 30_000 };
/** A request of `noonmark/client`. */
export const CLIENT_WAITS: Waits = { firstMs: 500, longestMs: 8_000, askedMs: 30_000 };
/** A view of the page with this interval (ms). The device is still requested every two minutes. */
export const pageWaits = (intervalMs: number): Waits => ({
  firstMs: 2 * intervalMs,
  longestMs: Math.max(2 * intervalMs, 120_000),
  askedMs: 115_000,
});

/**
 * Returns the wait (ms) after `failures` failed attempts, from 1. It is `share` of the bound, a random number from 0 to
 * 1, and at least `retryAfterMs`, which the server gave.
 */
export function waitMs(waits: Waits, failures: number, share: number, retryAfterMs = 0): number {
  const bound = Math.min(waits.firstMs * 2 ** (failures - 1), waits.longestMs);
  return Math.max(share * bound, Math.min(retryAfterMs, waits.askedMs));
}
