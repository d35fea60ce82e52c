/** Defines after what time a measurement and the Reporter are stale, and how far in the future an instant may be. */

/**
 * Correct clocks differ by less than this. Applies to facts, publications and stored objects
 * (docs/spec/intake.md#future, docs/spec/api.md#future, docs/spec/publishing.md#moved-clock).
 */
export const FUTURE_ALLOWANCE_MS = 60_000;

/** A measurement is online up to and including this age of its receipt (docs/spec/api.md#telemetry). */
export const STALE_AFTER_SECONDS = 120;
export const STALE_AFTER_MS = STALE_AFTER_SECONDS * 1000;

/** The queue is stale if the Reporter has finished no run for longer than this (docs/spec/api.md#queue-state). */
export const REPORTER_STALE_AFTER_MS = 600_000;

/** A device without a receipt for longer is reported as silent. The alarm NoonmarkNoReceipts has the same time. */
const SILENT_AFTER_MS = 900_000;

/** True if a device whose newest receipt has this age (ms) is silent. */
export function isDeviceSilent(age: number): boolean {
  return age > SILENT_AFTER_MS;
}

/**
 * Returns the first instant after `at` at which something of `instant` is stale; undefined if it is stale at `at`. All
 * are epoch ms. `seenAt` is the clock when it was read. An instant too far ahead of that clock is stale at every `at`,
 * so it never becomes fresh without new input (docs/spec/api.md#future).
 */
export function staleFrom(
  instant: number,
  staleAfterMs: number,
  { at, seenAt }: { readonly at: number; readonly seenAt: number },
): number | undefined {
  if (instant - seenAt > FUTURE_ALLOWANCE_MS || at - instant > staleAfterMs) return undefined;
  return instant + staleAfterMs + 1;
}
