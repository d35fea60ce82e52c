/** The age at which an event is stale, and the distance in the future at which it cannot be true. */

/**
 * Two correct clocks differ by less. It applies to facts, publications and stored objects (docs/spec/intake.md#future,
 * docs/spec/api.md#future, docs/spec/publishing.md#moved-clock).
 */
export const FUTURE_ALLOWANCE_MS = 60_000;

/**
 * The first instant after `at` at which something of `instant` is stale; undefined if it is stale at `at`. All epoch ms.
 * `seenAt` is the clock when it was read. An instant further ahead of that clock is stale at every `at`, so that time alone
 * never makes it fresh (docs/spec/api.md#future).
 */
export function staleFrom(
  instant: number,
  staleAfterMs: number,
  { at, seenAt }: { readonly at: number; readonly seenAt: number },
): number | undefined {
  if (instant - seenAt > FUTURE_ALLOWANCE_MS || at - instant > staleAfterMs) return undefined;
  return instant + staleAfterMs + 1;
}
